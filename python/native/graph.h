// python/native/graph.h: loaded graphs for Python.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "op.h"
#include "running.h"
// After them, so that Python.h comes first.
#include <nanobind/stl/string.h>

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace opsrun::python {

inline nanobind::tuple InfoOf(const opsrun_tensor_info& info) {
  nanobind::object shape = nanobind::none();
  if (info.rank >= 0) {
    nanobind::list sizes;
    for (int32_t i = 0; i < info.rank; ++i) sizes.append(info.shape[i]);
    shape = nanobind::tuple(sizes);
  }
  return nanobind::make_tuple(TextOf(info.name), info.dtype, shape);
}

class Graph {
 public:
  Graph(opsrun_graph* graph, EnginePtr engine, uint32_t fork_number)
      : graph_(graph), engine_(std::move(engine)), fork_number_(fork_number), time_(true) {}
  Graph(const Graph&) = delete;
  ~Graph() {
    if (fork_number_ == ForkNumber()) opsrun_graph_destroy(graph_);
  }

  nanobind::list Feeds() const {
    nanobind::list feeds;
    for (uint32_t i = 0; i < opsrun_graph_n_feeds(graph_); ++i) feeds.append(InfoOf(*opsrun_graph_feed(graph_, i)));
    return feeds;
  }
  nanobind::list Outputs() const {
    nanobind::list outputs;
    for (uint32_t i = 0; i < opsrun_graph_n_outputs(graph_); ++i) {
      outputs.append(InfoOf(*opsrun_graph_output(graph_, i)));
    }
    return outputs;
  }

  // arrays: plain arrays of the feeds' data types, or arrays on a GPU, in the order of the feeds. device: DLPack's type
  // and number of where the results go; None: see Callee.
  nanobind::list Run(const nanobind::list& arrays, std::optional<std::pair<int32_t, int32_t>> device) {
    if (!CheckFork(fork_number_)) throw nanobind::python_error();
    const uint32_t n_feeds = opsrun_graph_n_feeds(graph_);
    if (arrays.size() != n_feeds) throw nanobind::value_error("expected an array for each feed");
    std::vector<Known> inputs(n_feeds), outputs(opsrun_graph_n_outputs(graph_));
    std::vector<PyObject*> items;
    for (uint32_t i = 0; i < n_feeds; ++i) {
      inputs[i].dtype = opsrun_graph_feed(graph_, i)->dtype;
      items.push_back(arrays[i].ptr());
      if (!IsUsable(items.back())) throw nanobind::type_error("a feed is not a plain array");
    }
    for (uint32_t i = 0; i < outputs.size(); ++i) outputs[i].dtype = opsrun_graph_output(graph_, i)->dtype;
    std::vector<PyObject*> results(outputs.size());
    opsrun_device place = {};
    if (device) place = {device->first, device->second};
    const Callee callee{graph_, CallGraph, engine_, device ? &place : nullptr};
    const bool ok = python::Run(callee, items.data(), inputs, outputs, time_, results.data());
    if (!ok) throw nanobind::python_error();
    nanobind::list list;
    for (PyObject* const result : results) list.append(nanobind::steal(result));
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
    return std::make_unique<Graph>(result, engine_, fork_number_);
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
  const EnginePtr engine_;
  const uint32_t fork_number_;
  CallTime time_;
};

}  // namespace opsrun::python
