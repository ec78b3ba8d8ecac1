// host/testing/planned_test.h: the graph of a test, planned, with a lane to run it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "host/engine/loaded_graph.h"
#include "host/testing/made_graph.h"

namespace opsrun::host {

class PlannedTest {
 public:
  // Errors of the graph become INVALID_ARGUMENT, with messages that refer to the test.
  static Result<std::unique_ptr<PlannedTest>> Make(const test::GraphParts& parts, const PluginSet& plugins);

  // Sets the feeds to the current `parts` and runs once. Returns the reason for a failure, otherwise an empty string.
  std::string Run(const test::GraphParts& parts);

  const MadeGraph& made() const { return made_; }
  // Call this after a successful run.
  Result<Tensor> Output(int index) const { return lane_->Output(static_cast<size_t>(index)); }

 private:
  PlannedTest() = default;
  Status Feed(const test::GraphParts& parts);
  std::string FailureText(const RunFailure& failure) const;

  // Each member uses those above it, even during destruction.
  MadeGraph made_;
  std::shared_ptr<const PlannedGraph> plan_;
  std::unique_ptr<Lane> lane_;
};

}  // namespace opsrun::host
