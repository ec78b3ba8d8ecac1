// tests/host/run/run_test.h: a lane for a graph over ops of the test itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "host/run/host_table.h"
#include "host/run/lane.h"
#include "host/tensor/resources.h"
#include "tests/host/plan/in_process_ops.h"
#include "tests/host/run/counting_device.h"
#include "tests/host/run/int_kernels.h"
#include "tests/host/run/one_host.h"

namespace opsrun::host {

// What the kernels of Do and LateDo do.
inline std::function<int32_t(opsrun_call*)> to_do;
inline int32_t DoIt(void*, opsrun_call* call) {
  return to_do(call);
}

inline void Feed(Lane& lane, const Row& row) {
  ASSERT_TRUE(lane.SetFeed("d", TensorOf(row)).ok());
}

class RunTest : public ::testing::Test {
 protected:
  RunTest() {
    Add("AddOne", SameShape, AddOne);
    Add("LateAddOne", nullptr, AddOne);
    Add("Do", SameShape, DoIt);
    Add("LateDo", nullptr, DoIt);
  }
  ~RunTest() override {
    lane_.reset();
    EXPECT_EQ(device_->used(), 0u);
  }

  // Adds an op of one input, x, and one output, y.
  void Add(const std::string& name, ShapeFn shape, ComputeFn compute) {
    ops_.Add({.name = name, .inputs = {"x: int32"}, .outputs = {"y: int32"}}, shape, compute);
  }
  // A lane for a graph with the constant x = [1, 2, 3] and the declared feed d of any length, which is [0].
  void Make(const std::string& nodes, const std::string& outputs, int threads = 1) {
    lane_.reset();
    plan_ = ops_.Make("feeds:\n  x: {value: [1, 2, 3], dtype: int32}\n  d: {dtype: int32, shape: [-1]}\nnodes:\n" +
                          nodes + "outputs: [" + outputs + "]\n",
                      host_.get(), {}, threads);
    ASSERT_NE(plan_, nullptr) << ops_.Found();
    pool_ = threads > 1 ? std::make_unique<ThreadPool>(threads) : nullptr;
    stop_ = std::make_unique<StopSignal>();
    lane_ = NewLane();
    Feed(*lane_, {0});
  }
  std::unique_ptr<Lane> NewLane() {
    return *Lane::Create(*plan_, {cpu_.get(), host_.get(), pool_.get(), stop_.get(), &resources_});
  }
  std::optional<RunFailure> Run(const Row& d) {
    Feed(*lane_, d);
    return lane_->Run();
  }
  // What the next run makes of the feed as it is, or of this one.
  Row Output() {
    const std::optional<RunFailure> failure = lane_->Run();
    EXPECT_FALSE(failure.has_value()) << failure->status.message();
    return ValuesOf(lane_->Output(0));
  }
  Row Output(const Row& d) {
    Feed(*lane_, d);
    return Output();
  }
  // The failure of the next run, which must be one.
  RunFailure Failure() {
    std::optional<RunFailure> failure = lane_->Run();
    EXPECT_TRUE(failure.has_value());
    return failure.value_or(RunFailure{});
  }
  // How the next run ends: "none", or the code and the place within the node, "INTERNAL output:y".
  std::string Ending() {
    const std::optional<RunFailure> failure = lane_->Run();
    if (!failure) return "none";
    const std::string& subject = failure->status.subject();
    return CodeName(failure->status.code()) + (subject.empty() ? "" : " " + subject);
  }

  std::shared_ptr<CountingDevice> device_ = std::make_shared<CountingDevice>();
  std::shared_ptr<Device> cpu_ = device_;  // of lanes
  std::shared_ptr<const opsrun_host> host_ = MakeHostTable(device_);
  Resources resources_;
  InProcessOps ops_;
  const Plan* plan_ = nullptr;
  std::unique_ptr<ThreadPool> pool_;  // null for one thread
  std::unique_ptr<StopSignal> stop_;
  std::unique_ptr<Lane> lane_;
};

}  // namespace opsrun::host
