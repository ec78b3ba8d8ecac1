// host/gradcheck/graph_function.cc: see graph_function.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/gradcheck/graph_function.h"

#include <utility>

namespace opsrun::host {

std::unique_ptr<GraphFunction> GraphFunction::Create(Engine& engine, std::shared_ptr<const Graph> graph,
                                                     const std::map<std::string, Tensor>& feeds,
                                                     Diagnostics& diagnostics) {
  std::unique_ptr<GraphFunction> function(new GraphFunction());
  function->loaded_ = engine.LoadGraph(std::move(graph));
  PlanOptions options;
  options.threads = 1;
  for (const auto& [name, value] : feeds) options.feeds[name] = {value.dtype(), value.shape()};
  function->planned_ = function->loaded_->Plan(options, diagnostics);
  if (function->planned_ == nullptr) return nullptr;
  function->lanes_ = function->planned_->MakeLanes(1, nullptr, diagnostics);
  if (function->lanes_ == nullptr) return nullptr;
  for (const auto& [name, value] : feeds) function->Set(name, value);
  return function;
}

// Of the type and shape that were planned, so it cannot fail.
void GraphFunction::Set(const std::string& feed, const Tensor& value) {
  static_cast<void>(lanes_->lanes()[0]->SetFeed(feed, value));
}

Result<std::vector<Tensor>> GraphFunction::Run() {
  Lane& lane = *lanes_->lanes()[0];
  if (const std::optional<RunFailure> failure = lane.Run()) {
    return Status(failure->status.code(), DescribeFailure(planned_->plan(), *failure).message);
  }
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < planned_->plan().outputs.size(); ++i) {
    Result<Tensor> output = lane.Output(i);
    if (!output.ok()) return output.status();
    outputs.push_back(*std::move(output));
  }
  return outputs;
}

}  // namespace opsrun::host
