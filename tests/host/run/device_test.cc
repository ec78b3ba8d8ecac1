// tests/host/run/device_test.cc: where nodes run, which tensors are copied there, and what becomes of errors.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>

#include "host/plan/build_plan.h"
#include "host/run/lane.h"
#include "tests/host/run/device_kernels.h"
#include "tests/host/run/one_host.h"

namespace opsrun::host {
namespace {

using reference::Row;

// A kernel whose work fails when it is done, long after it was enqueued.
int32_t FailWhenDone(void*, opsrun_call* call) {
  FakeDevice::Enqueue(reference::QueueOf(call), [] { return false; });
  opsrun_tensor* out = nullptr;
  return call->host->allocate_output(call, 0, call->in[0]->rank, call->in[0]->shape, &out);
}

class DeviceTest : public ::testing::Test {
 protected:
  DeviceTest() {
    devices_.AddKind("gpu", [this](int number) -> Result<std::unique_ptr<Device>> {
      if (number > 1) return Status(OPSRUN_UNAVAILABLE, "there are 2 GPUs", "use gpu:0 or gpu:1");
      auto device = std::make_unique<FakeDevice>(Schedule::kLazy, 0, number);
      gpus_[number] = device.get();
      return std::unique_ptr<Device>(std::move(device));
    });
    ops_.devices = &devices_;
    ops_.device = "gpu";
    reference::AddTo(ops_);
    reference::AddDeviceKernels(ops_, [](const std::string& op) { return op != "Temporary"; });
    ops_.AddOp({.name = "FailWhenDone", .inputs = {"x: int32"}, .outputs = {"y: int32"}}, SameShape);
    ops_.AddKernel("FailWhenDone", FailWhenDone).def.device = "GPU";
  }

  // Over the constant x = [3, 1, 4] and the declared feed d of three elements.
  const Plan* Make(const std::string& nodes, const std::string& outputs) {
    plan_ = ops_.Make("feeds:\n  x: {value: [3, 1, 4], dtype: int32}\n  d: {dtype: int32, shape: [3]}\nnodes:\n" +
                          nodes + "outputs: [" + outputs + "]\n",
                      HostTable());
    EXPECT_NE(plan_, nullptr) << ops_.Found();
    return plan_;
  }
  // "d to gpu:0, a, a to cpu"
  std::string Steps() const {
    std::string names;
    for (const Step& step : plan_->steps) names += (names.empty() ? "" : ", ") + plan_->NodeOf(step).name.value;
    return names;
  }
  void MakeLane() {
    Result<std::unique_ptr<Lane>> lane = Lane::Create(*plan_, {&devices_.cpu(), HostTable()});
    ASSERT_TRUE(lane.ok()) << lane.status().message();
    lane_ = *std::move(lane);
    Result<Tensor> tensor = Tensor::Create(DType::kInt32, {3});
    const int32_t row[] = {10, 20, 30};
    std::memcpy(tensor->mutable_data(), row, sizeof(row));
    if (!plan_->declared_feeds.empty()) {
      ASSERT_TRUE(lane_->SetFeed("d", *tensor).ok());
    }
  }
  Row Output(size_t i = 0) {
    MakeLane();
    const std::optional<RunFailure> failure = lane_->Run();
    EXPECT_FALSE(failure.has_value()) << failure->status.message();
    const Result<Tensor> tensor = lane_->Output(i);
    const auto* data = static_cast<const int32_t*>(tensor->data());
    return {data, data + tensor->num_elements()};
  }

  std::map<int, FakeDevice*> gpus_;
  Devices devices_{OpenCpuDevice()};
  InProcessOps ops_;
  const Plan* plan_ = nullptr;
  std::unique_ptr<Lane> lane_;
};

TEST_F(DeviceTest, WhatNodesReadIsCopiedThereAndResultsBack) {
  Make("  a: {op: Twice, in: d}\n  b: {op: Twice, in: a}\n", "b");
  EXPECT_EQ(Steps(), "d to gpu:0, a, b, b to cpu");
  EXPECT_EQ(Output(), (Row{43, 83, 123}));
}

TEST_F(DeviceTest, AConstantIsCopiedOnceForAllRuns) {
  Make("  a: {op: Sum, in: [x, x]}\n", "a");
  EXPECT_EQ(Steps(), "a, a to cpu");
  EXPECT_EQ(Output(), (Row{6, 2, 8}));
  EXPECT_FALSE(lane_->Run().has_value());
  EXPECT_EQ(gpus_.at(0)->copies_in(), 1);
  EXPECT_EQ(gpus_.at(0)->copies_out(), 2);
}

TEST_F(DeviceTest, ATensorIsCopiedOnceForAllReaders) {
  Make("  a: {op: Twice, in: d}\n  b: {op: Sum, in: [d, a]}\n  c: {op: Temporary, in: [b, b]}\n", "b, c");
  EXPECT_EQ(Steps(), "d to gpu:0, a, b, b to cpu, c");
  EXPECT_EQ(Output(1), (Row{62, 122, 182}));
}

TEST_F(DeviceTest, ArgumentsInHostMemoryStayWithTheCpu) {
  Make("  a: {op: Loop, in: [d, x]}\n  b: {op: Turn, in: a}\n  c: {op: Temporary, in: [b.y, b.n]}\n", "c");
  EXPECT_EQ(Steps(), "d to gpu:0, a, b, c");
  EXPECT_EQ(Output(), (Row{71, 45, 29}));
}

TEST_F(DeviceTest, BetweenTwoGpusATensorGoesThroughTheCpu) {
  Make("  a: {op: Twice, in: d}\n  b: {op: Twice, in: a, device: \"gpu:1\"}\n", "b");
  EXPECT_EQ(Steps(), "d to gpu:0, a, a to cpu, a to gpu:1, b, b to cpu");
  EXPECT_EQ(Output(), (Row{43, 83, 123}));
}

// Nothing orders the copy of c after b, which reads what a made.
TEST_F(DeviceTest, ACopyTakesMemoryThatNoKernelHasUsed) {
  Make(
      "  a: {op: Sum, in: [x, x]}\n  b: {op: Sum, in: [a, a]}\n  c: {op: Temporary, in: [x, d]}\n"
      "  d2: {op: Sum, in: [b, c]}\n",
      "d2");
  EXPECT_EQ(Steps(), "a, b, c, c to gpu:0, d2, d2 to cpu");
  EXPECT_EQ(Output(), (Row{25, 25, 50}));
}

TEST_F(DeviceTest, ANodeSaysItsDeviceItself) {
  Make("  a: {op: Twice, in: d, device: cpu}\n", "a");
  EXPECT_EQ(Steps(), "a");
  EXPECT_TRUE(gpus_.empty()) << "opened for nothing";
}

TEST_F(DeviceTest, WhatHasNoKernelThereRunsOnTheCpu) {
  Make("  a: {op: Temporary, in: [d, x]}\n", "a");
  EXPECT_EQ(Steps(), "a");
  EXPECT_EQ(plan_->devices.size(), 1u);
}

TEST_F(DeviceTest, OrIsRefusedIfTheCallerIsStrict) {
  ops_.strict_placement = true;
  EXPECT_EQ(
      ops_.Make("feeds:\n  x: {value: [3], dtype: int32}\nnodes:\n  a: {op: Temporary, in: [x, x]}\noutputs: [a]\n",
                HostTable()),
      nullptr);
  EXPECT_EQ(ops_.Places(), "K304 5:11\n");
}

TEST_F(DeviceTest, ADeviceThatIsNotThereIsReportedOnce) {
  EXPECT_EQ(
      ops_.Make("feeds:\n  x: {value: [3], dtype: int32}\nnodes:\n  a: {op: Twice, in: x, device: \"gpu:2\"}\n"
                "  b: {op: Twice, in: x, device: \"gpu:2\"}\n  c: {op: Twice, in: x, device: tpu}\noutputs: [a]\n",
                HostTable()),
      nullptr);
  EXPECT_EQ(ops_.Places(), "D201 5:33\nG223 7:33\n");
}

TEST_F(DeviceTest, AnErrorThatComesLateNamesTheNodeWhoseKernelFailed) {
  Make("  a: {op: Twice, in: d}\n  b: {op: FailWhenDone, in: a}\n  c: {op: Twice, in: b}\n", "c");
  MakeLane();
  const std::optional<RunFailure> failure = lane_->Run();
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(plan_->NodeOf(plan_->steps[failure->step]).name.value, "b");
  EXPECT_EQ(failure->status.code(), OPSRUN_INTERNAL);
}

TEST_F(DeviceTest, ThereAreFourStreamsBesideTheCallsOwn) {
  ops_.AddOp({.name = "Fifth", .inputs = {"x: int32"}, .outputs = {"y: int32"}}, SameShape);
  ops_.AddKernel("Fifth",
                 [](void*, opsrun_call* call) {
                   const auto* const cuda = static_cast<const opsrun_cuda*>(call->host->query(call, C(OPSRUN_CUDA_1)));
                   void* stream = nullptr;
                   return cuda->side_stream(call, 4, &stream);
                 })
      .def.device = "GPU";
  Make("  a: {op: Fifth, in: d}\n", "a");
  MakeLane();
  const std::optional<RunFailure> failure = lane_->Run();
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->status.code(), OPSRUN_OUT_OF_RANGE);
}

// What is timed is the work, not its enqueueing.
TEST_F(DeviceTest, ATimedRunWaitsForEachNode) {
  Make("  a: {op: FailWhenDone, in: d}\n  b: {op: Twice, in: a}\n", "b");
  MakeLane();
  RunTimes times;
  const std::optional<RunFailure> failure = lane_->RunTimed(times);
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(plan_->NodeOf(plan_->steps[failure->step]).name.value, "a");
  EXPECT_EQ(times.steps.back().begin, 0) << "nothing runs after a failure";
}

TEST_F(DeviceTest, ANodeThatRunsAfterAnotherWaitsForItsWork) {
  Make("  a: {op: Twice, in: d}\n  b: {op: Temporary, in: [x, x], after: a}\n", "a, b");
  const Step& last = plan_->steps.back();
  ASSERT_EQ(plan_->NodeOf(last).name.value, "b");
  EXPECT_EQ(last.awaited.size(), 1u);
}

}  // namespace
}  // namespace opsrun::host
