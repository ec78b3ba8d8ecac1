// tests/host/run/random_run.h: runs of random graphs, compared with what their ops must compute.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "host/run/lane.h"
#include "tests/host/run/one_host.h"
#include "tests/host/run/random_graph.h"

namespace opsrun::host::reference {

// One graph at a time, and a lane of it.
class RandomRun {
 protected:
  RandomRun() {
    AddTo(ops_);
    fails_in = -1;
  }
  // Destroys what uses the host's table; to be called before the devices are destroyed.
  void End() {
    lane_.reset();
    ops_.Forget();
    host_.reset();
  }

  void Plan(unsigned seed, int threads, bool fixed = false) {
    lane_.reset();
    graph_.emplace(seed, fixed);
    plan_ = ops_.Make(graph_->Yaml(), host_.get(), {}, threads);
    ASSERT_NE(plan_, nullptr) << ops_.Found() << graph_->Yaml();
    pool_ = std::make_unique<ThreadPool>(threads);
  }
  // False if the device has not enough memory.
  bool MakeLane(bool capture = true) {
    LaneContext context{cpu_, host_.get(), pool_.get()};
    context.options.no_cuda_graphs = !capture;
    Result<std::unique_ptr<Lane>> lane = Lane::Create(*plan_, context);
    if (lane.ok()) lane_ = *std::move(lane);
    EXPECT_TRUE(lane.ok() || lane.status().code() == OPSRUN_RESOURCE_EXHAUSTED);
    return lane.ok();
  }
  // Feeds rows that depend on the run.
  std::optional<RunFailure> RunWith(int run) {
    const auto length = graph_->fixed() ? 4 : static_cast<size_t>(run * 7 % 5);
    d_.assign(length, run);
    e_.assign((length + 3) % 5, 100 - run);
    if (length > 0) d_[0] = 2 * run;
    EXPECT_TRUE(lane_->SetFeed("d", TensorOf(d_)).ok());
    EXPECT_TRUE(lane_->SetFeed("e", TensorOf(e_)).ok());
    return lane_->Run();
  }
  void ExpectRight() {
    const Rows expected = graph_->Expected(d_, e_);
    for (size_t i = 0; i < expected.size(); ++i) {
      EXPECT_EQ(ValuesOf(lane_->Output(i)), expected[i]) << "output " << i << "\n" << graph_->Yaml();
    }
  }
  void ExpectARightRun(int run) {
    const std::optional<RunFailure> failure = RunWith(run);
    ASSERT_FALSE(failure.has_value()) << failure->status.message() << "\n" << graph_->Yaml();
    ExpectRight();
  }

  Device* cpu_ = nullptr;
  std::shared_ptr<const opsrun_host> host_;
  InProcessOps ops_;
  std::unique_ptr<ThreadPool> pool_;
  std::optional<RandomGraph> graph_;
  const host::Plan* plan_ = nullptr;
  std::unique_ptr<Lane> lane_;
  Row d_, e_;
};

}  // namespace opsrun::host::reference
