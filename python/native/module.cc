// python/native/module.cc: the extension module opsrun._native: engines, graphs, and ops as functions.
//
// Rarely called functions are bound by nanobind; those on the path of every op use the C API directly (op.cc,
// prepared.cc).
// SPDX-License-Identifier: Apache-2.0
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#define OPSRUN_IMPORT_NUMPY
#include "arrays.h"
#include "attrs.h"
#include "graph.h"
#include "numpy.h"
#include "op.h"
#include "running.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace opsrun::python {
namespace {

// (argument, data type, shape, True for an element of a list)
typedef std::tuple<std::string, int32_t, std::vector<int64_t>, bool> OpInput;

// They refer to `texts`.
std::vector<opsrun_str> Strs(const std::vector<std::string>& texts) {
  std::vector<opsrun_str> strs;
  for (const std::string& text : texts) strs.push_back(Str(text));
  return strs;
}

class Engine {
 public:
  Engine(const std::vector<std::string>& plugins, bool default_plugins, uint32_t threads, uint32_t callers,
         uint64_t memory_limit, uint64_t gpu_memory_limit, bool probe, const std::string& device, bool strict_placement,
         bool cuda_graphs, bool allow_writable, const std::string& repro_dir, const std::vector<std::string>& isolate,
         uint32_t node_timeout_ms, uint64_t child_memory, bool sandbox)
      : fork_number_(ForkNumber()) {
    opsrun_engine_options options = {};
    options.size = sizeof(options);
    options.flags = (default_plugins ? 0 : OPSRUN_ENGINE_NO_DEFAULT_PLUGINS) | (probe ? 0 : OPSRUN_ENGINE_NO_PROBE) |
                    (strict_placement ? OPSRUN_ENGINE_STRICT_PLACEMENT : 0) |
                    (cuda_graphs ? 0 : OPSRUN_ENGINE_NO_CUDA_GRAPHS) |
                    (allow_writable ? OPSRUN_ENGINE_ALLOW_WRITABLE : 0) | (sandbox ? OPSRUN_ENGINE_SANDBOX : 0);
    options.device = Str(device);
    const std::vector<opsrun_str> places = Strs(plugins), isolated = Strs(isolate);
    options.plugins = places.data();
    options.n_plugins = static_cast<uint32_t>(places.size());
    options.threads = threads;
    options.callers = callers;
    options.memory_limit = memory_limit;
    options.gpu_memory_limit = gpu_memory_limit;
    options.repro_dir = Str(repro_dir);
    options.isolate = isolated.data();
    options.n_isolate = static_cast<uint32_t>(isolated.size());
    options.node_timeout_ms = node_timeout_ms;
    options.child_memory = child_memory;
    opsrun_engine* made = nullptr;
    CallReleased(fork_number_, [&](opsrun_report** report) { return opsrun_engine_create(&options, &made, report); });
    engine_ = EnginePtr(made, [number = fork_number_](opsrun_engine* engine) {
      if (number == ForkNumber()) opsrun_engine_destroy(engine);
    });
  }
  Engine(const Engine&) = delete;

  std::string AddPlugin(const std::string& path) {
    return TextReleased(fork_number_, [&](opsrun_text** name, opsrun_report** report) {
      return opsrun_engine_add_plugin(engine_.get(), Str(path), name, report);
    });
  }

  void Attach(const std::string& path, const std::string& file) {
    CallReleased(fork_number_, [&](opsrun_report** report) {
      return opsrun_engine_attach(engine_.get(), Str(path), Str(file), report);
    });
  }

  bool Reload(const std::string& path) {
    int32_t changed = 0;
    CallReleased(fork_number_, [&](opsrun_report** report) {
      return opsrun_engine_reload(engine_.get(), Str(path), nullptr, &changed, report);
    });
    return changed != 0;
  }

  nb::list Plugins() const {
    opsrun_listing* listing = nullptr;
    Require(opsrun_engine_list(engine_.get(), &listing), nullptr);
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
                 [&](opsrun_report** report) { return opsrun_engine_find_op(engine_.get(), Str(op), &info, report); });
    std::string json(info->json.data, info->json.size);
    opsrun_op_info_free(info);
    return json;
  }

  nb::object Prepare(const std::string& op, const std::vector<OpInput>& inputs, const std::vector<GivenAttr>& attrs,
                     bool may_wait, const std::string& device) {
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
    opsrun_prepare_options options = {};
    options.size = sizeof(options);
    options.device = Str(device);
    opsrun_prepared* prepared = nullptr;
    CallReleased(fork_number_, [&](opsrun_report** report) {
      return opsrun_engine_prepare(engine_.get(), Str(op), given.data(), static_cast<uint32_t>(given.size()),
                                   taken.data(), taken.size(), &options, &prepared, report);
    });
    PyObject* const object = NewPrepared(prepared, engine_, std::move(known), may_wait);
    if (object == nullptr) throw nb::python_error();
    return nb::steal(object);
  }

  // The number of the stream that orders all work of Python on the GPU of that number.
  uintptr_t Stream(int32_t device) const {
    return reinterpret_cast<uintptr_t>(StreamOf(engine_.get(), {OPSRUN_DEVICE_CUDA, device}));
  }
  nb::object MakeDeviceArray(const nb::object& capsule) const {
    return Wrapped(std::make_unique<DeviceArray>(engine_, capsule));
  }

  std::unique_ptr<Graph> LoadFile(const std::string& path, bool strict, bool frozen) {
    return Load((strict ? OPSRUN_GRAPH_STRICT : 0) | (frozen ? OPSRUN_GRAPH_FROZEN : 0), "feeds",
                [&](const opsrun_graph_options* options, opsrun_graph** graph, opsrun_report** report) {
                  return opsrun_graph_load_file(engine_.get(), Str(path), options, graph, report);
                });
  }
  std::unique_ptr<Graph> LoadText(const std::string& name, const std::string& text, bool strict,
                                  const std::string& device) {
    return Load(strict ? OPSRUN_GRAPH_STRICT : 0, device,
                [&](const opsrun_graph_options* options, opsrun_graph** graph, opsrun_report** report) {
                  return opsrun_graph_load_text(engine_.get(), Str(name), Str(text), options, graph, report);
                });
  }

 private:
  template <typename Loader>
  std::unique_ptr<Graph> Load(uint32_t flags, const std::string& device, const Loader& load) {
    opsrun_graph_options options = {};
    options.size = sizeof(options);
    options.device = Str(device);
    options.flags = flags;
    opsrun_graph* graph = nullptr;
    CallReleased(fork_number_, [&](opsrun_report** report) { return load(&options, &graph, report); });
    return std::make_unique<Graph>(graph, engine_, fork_number_);
  }

  EnginePtr engine_;
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
  nb::class_<DeviceArray>(m, "DeviceArray")
      .def_prop_ro("shape", &DeviceArray::Shape)
      .def_prop_ro("dtype", &DeviceArray::dtype)
      .def_prop_ro("device", &DeviceArray::Device)
      .def_prop_ro("pointer", &DeviceArray::Pointer)
      .def_prop_ro("stream", &DeviceArray::StreamNumber)
      .def(
          "capsule",
          [](nb::handle self, uintptr_t stream, bool versioned) {
            return DeviceArray::Capsule(self, stream, versioned);
          },
          "stream"_a, "versioned"_a);
  nb::class_<Graph>(m, "Graph")
      .def_prop_ro("feeds", &Graph::Feeds)
      .def_prop_ro("outputs", &Graph::Outputs)
      .def("run", &Graph::Run, "arrays"_a, "device"_a = nb::none())
      .def("to_yaml", &Graph::ToYaml)
      .def("to_yaml_with", &Graph::ToYamlWith, "files"_a)
      .def("to_json", &Graph::ToJson)
      .def("to_dot", &Graph::ToDot)
      .def("plan", &Graph::Plan, "feeds"_a, "json"_a)
      .def("differentiate", &Graph::Differentiate, "of"_a, "wrt"_a, "given"_a);
  nb::class_<Engine>(m, "Engine")
      .def(nb::init<const std::vector<std::string>&, bool, uint32_t, uint32_t, uint64_t, uint64_t, bool,
                    const std::string&, bool, bool, bool, const std::string&, const std::vector<std::string>&, uint32_t,
                    uint64_t, bool>(),
           "plugins"_a, "default_plugins"_a, "threads"_a, "callers"_a, "memory_limit"_a, "gpu_memory_limit"_a,
           "probe"_a, "device"_a, "strict_placement"_a, "cuda_graphs"_a, "allow_writable"_a, "repro_dir"_a, "isolate"_a,
           "node_timeout_ms"_a, "child_memory"_a, "sandbox"_a)
      .def("add_plugin", &Engine::AddPlugin, "path"_a)
      .def("attach", &Engine::Attach, "path"_a, "file"_a)
      .def("reload", &Engine::Reload, "path"_a)
      .def("plugins", &Engine::Plugins)
      .def("describe", &Engine::Describe, "op"_a)
      .def("prepare", &Engine::Prepare, "op"_a, "inputs"_a, "attrs"_a, "may_wait"_a, "device"_a = "")
      .def("stream", &Engine::Stream, "device"_a)
      .def("device_array", &Engine::MakeDeviceArray, "capsule"_a)
      .def("load_file", &Engine::LoadFile, "path"_a, "strict"_a = false, "frozen"_a = false)
      .def("load_text", &Engine::LoadText, "name"_a, "text"_a, "strict"_a = false, "device"_a = "");
}
