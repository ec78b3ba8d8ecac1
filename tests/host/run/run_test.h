// tests/host/run/run_test.h: a lane for a graph over ops of the test itself, on a CPU whose memory is counted.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "host/device/device.h"
#include "host/run/host_table.h"
#include "host/run/lane.h"
#include "host/tensor/resources.h"
#include "tests/host/plan/in_process_ops.h"

namespace opsrun::host {

class CountingDevice final : public Device {
 public:
  void* Allocate(size_t bytes, Stream stream) override {
    if (!Count(bytes)) return nullptr;
    void* const memory = cpu_->Allocate(bytes, stream);
    if (memory != nullptr) std::memset(memory, 0xAB, bytes);  // not the result of an earlier run
    const std::lock_guard<std::mutex> lock(mutex_);
    sizes_[memory] = bytes;
    return memory;
  }
  void Free(void* memory, Stream stream) override {
    if (memory == nullptr) return;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      used_ -= sizes_.at(memory);
      sizes_.erase(memory);
    }
    cpu_->Free(memory, stream);
  }
  bool Reserve(size_t bytes) override { return Count(bytes); }
  void GiveBack(size_t bytes) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    used_ -= bytes;
  }

  // The allocation with this number fails: 0 is the next one; below 0 none does. Returns what was left to count of the
  // number before, which is 0 or less once one has failed.
  int FailIn(int allocations) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(fails_in_, allocations < 0 ? 0 : allocations + 1);
  }
  size_t used() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return used_;
  }

 private:
  bool Count(size_t bytes) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (fails_in_ > 0 && --fails_in_ == 0) return false;
    used_ += bytes;
    return true;
  }

  const std::unique_ptr<Device> cpu_ = OpenCpuDevice();
  std::mutex mutex_;  // guards what follows
  int fails_in_ = 0;  // 0: never
  size_t used_ = 0;   // below 0, that is huge, if more came back than was given out
  std::unordered_map<void*, size_t> sizes_;
};

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
    MakeFrom("feeds:\n  x: {value: [1, 2, 3], dtype: int32}\n  d: {dtype: int32, shape: [-1]}\nnodes:\n" + nodes +
                 "outputs: [" + outputs + "]\n",
             threads);
    if (lane_ != nullptr) Feed(*lane_, {0});
  }
  // The same for a graph with feeds of its own, which are not set.
  void MakeFrom(const std::string& yaml, int threads) {
    lane_.reset();
    plan_ = ops_.Make(yaml, host_.get(), {}, threads);
    ASSERT_NE(plan_, nullptr) << ops_.Found();
    pool_ = threads > 1 ? std::make_unique<ThreadPool>(threads) : nullptr;
    stop_ = std::make_unique<StopSignal>();
    lane_ = NewLane();
  }
  std::unique_ptr<Lane> NewLane() {
    return *Lane::Create(*plan_, {cpu_.get(), host_.get(), pool_.get(), stop_.get(), &resources_, options_});
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
  RunOptions options_;
  InProcessOps ops_;
  const Plan* plan_ = nullptr;
  std::unique_ptr<ThreadPool> pool_;  // null for one thread
  std::unique_ptr<StopSignal> stop_;
  std::unique_ptr<Lane> lane_;
};

}  // namespace opsrun::host
