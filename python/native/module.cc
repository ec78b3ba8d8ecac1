// python/native/module.cc: the extension module opsrun._native: engines, graphs, and ops as functions.
//
// Rarely called functions are bound by nanobind; those on the path of every op use the C API directly (op.cc,
// prepared.cc).
// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#define OPSRUN_IMPORT_NUMPY
#include "arrays.h"
#include "attrs.h"
#include "numpy.h"
#include "op.h"
#include "running.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace opsrun::python {
namespace {

opsrun_str Str(const std::string& text) {
  return {text.data(), text.size()};
}

std::string TakeText(opsrun_text* text) {
  const opsrun_str from = opsrun_text_get(text);
  std::string copy(from.data, from.size);
  opsrun_text_free(text);
  return copy;
}

// Throws the exception of a failed call, and issues the warnings of a successful one.
void Require(int32_t code, opsrun_report* report) {
  if (code != OPSRUN_OK) SetError(code, report);
  if (code != OPSRUN_OK || !IssueWarnings(report)) throw nb::python_error();
}

// Releases the GIL during a call that opens files or may take long.
template <typename Call>
void CallReleased(uint32_t fork_number, const Call& call) {
  if (!CheckFork(fork_number)) throw nb::python_error();
  opsrun_report* report = nullptr;
  const int32_t code = RunWith(true, [&](opsrun_stop*) { return call(&report); });
  Require(code, report);
}

// The same for a call that returns a text.
template <typename Call>
std::string TextReleased(uint32_t fork_number, const Call& call) {
  opsrun_text* text = nullptr;
  const auto release = [](opsrun_text** it) { opsrun_text_free(*it); };
  const std::unique_ptr<opsrun_text*, decltype(release)> owner(&text, release);
  CallReleased(fork_number, [&](opsrun_report** report) { return call(&text, report); });
  return TakeText(std::exchange(text, nullptr));
}

nb::tuple InfoOf(const opsrun_tensor_info& info) {
  nb::object shape = nb::none();
  if (info.rank >= 0) {
    nb::list sizes;
    for (int32_t i = 0; i < info.rank; ++i) sizes.append(info.shape[i]);
    shape = nb::tuple(sizes);
  }
  return nb::make_tuple(TextOf(info.name), info.dtype, shape);
}

class Graph {
 public:
  Graph(opsrun_graph* graph, uint32_t fork_number) : graph_(graph), fork_number_(fork_number), time_(true) {}
  Graph(const Graph&) = delete;
  ~Graph() {
    if (fork_number_ == ForkNumber()) opsrun_graph_destroy(graph_);
  }

  nb::list Feeds() const {
    nb::list feeds;
    for (uint32_t i = 0; i < opsrun_graph_n_feeds(graph_); ++i) feeds.append(InfoOf(*opsrun_graph_feed(graph_, i)));
    return feeds;
  }
  nb::list Outputs() const {
    nb::list outputs;
    for (uint32_t i = 0; i < opsrun_graph_n_outputs(graph_); ++i) {
      outputs.append(InfoOf(*opsrun_graph_output(graph_, i)));
    }
    return outputs;
  }

  // arrays: plain arrays of the feeds' data types, in the order of the feeds.
  nb::list Run(const nb::list& arrays) {
    if (!CheckFork(fork_number_)) throw nb::python_error();
    const uint32_t n_feeds = opsrun_graph_n_feeds(graph_);
    if (arrays.size() != n_feeds) throw nb::value_error("expected an array for each feed");
    std::vector<Known> inputs(n_feeds), outputs(opsrun_graph_n_outputs(graph_));
    std::vector<PyObject*> items;
    for (uint32_t i = 0; i < n_feeds; ++i) {
      inputs[i].dtype = opsrun_graph_feed(graph_, i)->dtype;
      items.push_back(arrays[i].ptr());
      if (!IsPlainArray(items.back())) throw nb::type_error("a feed is not a plain array");
    }
    std::vector<PyObject*> results(outputs.size());
    const bool ok = python::Run({graph_, CallGraph}, items.data(), inputs, outputs, time_, results.data());
    if (!ok) throw nb::python_error();
    nb::list list;
    for (PyObject* const result : results) list.append(nb::steal(result));
    return list;
  }

  std::string ToYaml() const { return TextFrom(opsrun_graph_to_yaml); }
  // files: (feed, path, key)
  std::string ToYamlWith(const std::vector<std::tuple<std::string, std::string, std::string>>& files) const {
    std::vector<opsrun_feed_file> all;
    for (const auto& [feed, npz, key] : files) all.push_back({Str(feed), Str(npz), Str(key)});
    return TextReleased(fork_number_, [&](opsrun_text** text, opsrun_report** report) {
      return opsrun_graph_to_yaml_with(graph_, all.data(), static_cast<uint32_t>(all.size()), text, report);
    });
  }
  std::string ToJson() const { return TextFrom(opsrun_graph_to_json); }
  std::string ToDot() const { return TextFrom(opsrun_graph_to_dot); }

  // feeds: (name, data type, shape)
  typedef std::vector<std::tuple<std::string, int32_t, std::vector<int64_t>>> FeedTypes;
  std::string Plan(const FeedTypes& feeds, bool json) const {
    std::vector<opsrun_tensor_info> infos;
    for (const auto& [name, dtype, shape] : feeds) {
      infos.push_back({Str(name), dtype, static_cast<int32_t>(shape.size()), shape.data()});
    }
    return TextReleased(fork_number_, [&](opsrun_text** text, opsrun_report** report) {
      return opsrun_graph_plan(graph_, infos.data(), static_cast<uint32_t>(infos.size()), json ? OPSRUN_PLAN_JSON : 0,
                               text, report);
    });
  }

  // of: pairs of a tensor and its gradient, which may be empty. given: pairs of a node and the text of its gradient.
  typedef std::vector<std::pair<std::string, std::string>> Pairs;
  std::unique_ptr<Graph> Differentiate(const Pairs& of, const std::vector<std::string>& wrt, const Pairs& given) const {
    std::vector<opsrun_gradient_of> tensors;
    for (const auto& [tensor, gradient] : of) tensors.push_back({Str(tensor), Str(gradient)});
    std::vector<opsrun_str> names;
    for (const std::string& name : wrt) names.push_back(Str(name));
    std::vector<opsrun_node_gradient> texts;
    for (const auto& [node, text] : given) texts.push_back({Str(node), Str(text)});
    opsrun_graph* result = nullptr;
    CallReleased(fork_number_, [&](opsrun_report** report) {
      return opsrun_graph_differentiate(graph_, tensors.data(), static_cast<uint32_t>(tensors.size()), names.data(),
                                        static_cast<uint32_t>(names.size()), texts.data(),
                                        static_cast<uint32_t>(texts.size()), &result, report);
    });
    return std::make_unique<Graph>(result, fork_number_);
  }

 private:
  std::string TextFrom(int32_t (*get)(const opsrun_graph*, opsrun_text**)) const {
    opsrun_text* text = nullptr;
    Require(get(graph_, &text), nullptr);
    return TakeText(text);
  }

  static int32_t CallGraph(void* handle, const opsrun_in* inputs, uint32_t n_inputs, opsrun_out* outputs,
                           uint32_t n_outputs, const opsrun_run_options* options, opsrun_report** report) {
    return opsrun_graph_run(static_cast<opsrun_graph*>(handle), inputs, n_inputs, outputs, n_outputs, options, report);
  }

  opsrun_graph* const graph_;
  const uint32_t fork_number_;
  CallTime time_;
};

// (argument, data type, shape, True for an element of a list)
typedef std::tuple<std::string, int32_t, std::vector<int64_t>, bool> OpInput;

class Engine {
 public:
  Engine(const std::vector<std::string>& plugins, bool default_plugins, uint32_t threads, uint32_t callers,
         uint64_t memory_limit, bool probe, const std::string& device, bool strict_placement, bool cuda_graphs)
      : fork_number_(ForkNumber()) {
    opsrun_engine_options options = {};
    options.size = sizeof(options);
    options.flags = (default_plugins ? 0 : OPSRUN_ENGINE_NO_DEFAULT_PLUGINS) | (probe ? 0 : OPSRUN_ENGINE_NO_PROBE) |
                    (strict_placement ? OPSRUN_ENGINE_STRICT_PLACEMENT : 0) |
                    (cuda_graphs ? 0 : OPSRUN_ENGINE_NO_CUDA_GRAPHS);
    options.device = Str(device);
    std::vector<opsrun_str> places;
    for (const std::string& place : plugins) places.push_back(Str(place));
    options.plugins = places.data();
    options.n_plugins = static_cast<uint32_t>(places.size());
    options.threads = threads;
    options.callers = callers;
    options.memory_limit = memory_limit;
    CallReleased(fork_number_,
                 [&](opsrun_report** report) { return opsrun_engine_create(&options, &engine_, report); });
  }
  Engine(const Engine&) = delete;
  ~Engine() {
    if (fork_number_ == ForkNumber()) opsrun_engine_destroy(engine_);
  }

  std::string AddPlugin(const std::string& path) {
    return TextReleased(fork_number_, [&](opsrun_text** name, opsrun_report** report) {
      return opsrun_engine_add_plugin(engine_, Str(path), name, report);
    });
  }

  nb::list Plugins() const {
    opsrun_listing* listing = nullptr;
    Require(opsrun_engine_list(engine_, &listing), nullptr);
    nb::list all;
    for (uint32_t i = 0; i < opsrun_listing_count(listing); ++i) {
      const opsrun_plugin_info& info = *opsrun_listing_get(listing, i);
      nb::list ops;
      for (uint32_t k = 0; k < info.n_ops; ++k) ops.append(TextOf(info.ops[k]));
      const char* const state = info.state == OPSRUN_PLUGIN_OK       ? "ok"
                                : info.state == OPSRUN_PLUGIN_HIDDEN ? "hidden"
                                                                     : "refused";
      all.append(nb::make_tuple(TextOf(info.name), TextOf(info.version), TextOf(info.path), state, TextOf(info.reason),
                                TextOf(info.remedy), nb::tuple(ops)));
    }
    opsrun_listing_free(listing);
    return all;
  }

  // The output of `opsrun explain --json`.
  std::string Describe(const std::string& op) {
    const opsrun_op_info* info = nullptr;
    CallReleased(fork_number_,
                 [&](opsrun_report** report) { return opsrun_engine_find_op(engine_, Str(op), &info, report); });
    std::string json(info->json.data, info->json.size);
    opsrun_op_info_free(info);
    return json;
  }

  nb::object Prepare(const std::string& op, const std::vector<OpInput>& inputs, const std::vector<GivenAttr>& attrs,
                     bool may_wait) {
    const Attrs taken(attrs);
    std::vector<opsrun_op_input> given;
    std::vector<Known> known;
    for (const auto& [arg, dtype, shape, list] : inputs) {
      given.push_back({Str(arg), dtype, static_cast<int32_t>(shape.size()), shape.data(), list ? 1u : 0u, 0});
      Known& input = known.emplace_back();
      input.dtype = dtype;
      input.number = TypeNumber(dtype);
      if (input.number < 0) throw nb::python_error();
      input.shape.assign(shape.begin(), shape.end());
    }
    opsrun_prepared* prepared = nullptr;
    CallReleased(fork_number_, [&](opsrun_report** report) {
      return opsrun_engine_prepare(engine_, Str(op), given.data(), static_cast<uint32_t>(given.size()), taken.data(),
                                   taken.size(), nullptr, &prepared, report);
    });
    PyObject* const object = NewPrepared(prepared, std::move(known), may_wait);
    if (object == nullptr) throw nb::python_error();
    return nb::steal(object);
  }

  std::unique_ptr<Graph> LoadFile(const std::string& path, bool strict) {
    return Load(strict, [&](const opsrun_graph_options* options, opsrun_graph** graph, opsrun_report** report) {
      return opsrun_graph_load_file(engine_, Str(path), options, graph, report);
    });
  }
  std::unique_ptr<Graph> LoadText(const std::string& name, const std::string& text, bool strict) {
    return Load(strict, [&](const opsrun_graph_options* options, opsrun_graph** graph, opsrun_report** report) {
      return opsrun_graph_load_text(engine_, Str(name), Str(text), options, graph, report);
    });
  }

 private:
  template <typename Loader>
  std::unique_ptr<Graph> Load(bool strict, const Loader& load) {
    opsrun_graph_options options = {};
    options.size = sizeof(options);
    options.flags = strict ? OPSRUN_GRAPH_STRICT : 0;
    opsrun_graph* graph = nullptr;
    CallReleased(fork_number_, [&](opsrun_report** report) { return load(&options, &graph, report); });
    return std::make_unique<Graph>(graph, fork_number_);
  }

  opsrun_engine* engine_ = nullptr;
  const uint32_t fork_number_;
};

// 0 if opsrun does not have the type.
int32_t DTypeNumber(const nb::object& descr) {
  if (!PyArray_DescrCheck(descr.ptr())) throw nb::type_error("not a numpy.dtype");
  return DTypeOf(reinterpret_cast<PyArray_Descr*>(descr.ptr()));
}

nb::object NumPyDType(int32_t dtype) {
  const int number = TypeNumber(dtype);
  if (number < 0) throw nb::python_error();
  return nb::steal(reinterpret_cast<PyObject*>(PyArray_DescrFromType(number)));
}

}  // namespace
}  // namespace opsrun::python

using namespace opsrun::python;

NB_MODULE(_native, m) {
  if (_import_array() < 0) throw nb::python_error();
  PrepareRunning();
  nb::set_leak_warnings(false);  // a daemon thread may hold a graph when Python exits
  PyTypeObject* const op = OpType();
  PyTypeObject* const prepared = PreparedType();
  if (op == nullptr || prepared == nullptr) throw nb::python_error();
  m.doc() = "The engine of opsrun. The package opsrun is what to use.";
  m.attr("Op") = nb::borrow(reinterpret_cast<PyObject*>(op));
  m.attr("Prepared") = nb::borrow(reinterpret_cast<PyObject*>(prepared));
  m.attr("version") = opsrun_embed_version();
  m.def("dtype_number", &DTypeNumber, "dtype"_a);
  m.def("numpy_dtype", &NumPyDType, "number"_a);
  nb::class_<Graph>(m, "Graph")
      .def_prop_ro("feeds", &Graph::Feeds)
      .def_prop_ro("outputs", &Graph::Outputs)
      .def("run", &Graph::Run, "arrays"_a)
      .def("to_yaml", &Graph::ToYaml)
      .def("to_yaml_with", &Graph::ToYamlWith, "files"_a)
      .def("to_json", &Graph::ToJson)
      .def("to_dot", &Graph::ToDot)
      .def("plan", &Graph::Plan, "feeds"_a, "json"_a)
      .def("differentiate", &Graph::Differentiate, "of"_a, "wrt"_a, "given"_a);
  nb::class_<Engine>(m, "Engine")
      .def(nb::init<const std::vector<std::string>&, bool, uint32_t, uint32_t, uint64_t, bool, const std::string&, bool,
                    bool>(),
           "plugins"_a, "default_plugins"_a, "threads"_a, "callers"_a, "memory_limit"_a, "probe"_a, "device"_a,
           "strict_placement"_a, "cuda_graphs"_a)
      .def("add_plugin", &Engine::AddPlugin, "path"_a)
      .def("plugins", &Engine::Plugins)
      .def("describe", &Engine::Describe, "op"_a)
      .def("prepare", &Engine::Prepare, "op"_a, "inputs"_a, "attrs"_a, "may_wait"_a)
      .def("load_file", &Engine::LoadFile, "path"_a, "strict"_a = false)
      .def("load_text", &Engine::LoadText, "name"_a, "text"_a, "strict"_a = false);
}
