// host/testing/planned_graph.h: the graph of a test, planned, with a lane to run it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "host/resources/resources.h"
#include "host/run/lane.h"
#include "host/testing/made_graph.h"
#include "host/threads/thread_pool.h"

namespace opsrun::host {

// What plans and runs need. All outlives them.
struct RunSettings {
  Device* device = nullptr;
  const opsrun_host* host = nullptr;
  Resources* resources = nullptr;
  int threads = 1;
};

class PlannedGraph {
 public:
  // The graph's mistakes as INVALID_ARGUMENT, worded for someone who looks at the test.
  static Result<std::unique_ptr<PlannedGraph>> Make(const test::GraphParts& parts, const PluginSet& plugins,
                                                    const RunSettings& settings);

  // Feeds what `parts` say now, and runs once. Empty, or why it failed.
  std::string Run(const test::GraphParts& parts);

  const MadeGraph& made() const { return made_; }
  // After a run that did not fail.
  Result<Tensor> Output(int index) const { return lane_->Output(static_cast<size_t>(index)); }

 private:
  PlannedGraph() = default;
  Status Feed(const test::GraphParts& parts);
  std::string FailureText(const RunFailure& failure) const;

  // Each uses those above it.
  MadeGraph made_;
  std::unique_ptr<const Plan> plan_;
  std::unique_ptr<ThreadPool> pool_;
  std::unique_ptr<Lane> lane_;
};

}  // namespace opsrun::host
