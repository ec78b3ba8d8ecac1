// tests/host/run/lane_test.cc: what a run does with memory, whatever kernels do.
// SPDX-License-Identifier: Apache-2.0
#include "host/run/lane.h"

#include <gtest/gtest.h>

#include <cstring>

#include "host/tensor/resources.h"
#include "tests/host/plan/in_process_ops.h"
#include "tests/host/run/lane_kernels.h"
#include "tests/host/run/one_host.h"

namespace opsrun::host {
namespace {

class LaneTest : public ::testing::Test {
 protected:
  LaneTest() {
    const std::vector<std::string> x = {"x: int32"};
    const std::vector<std::string> y = {"y: int32"};
    ops_.Add({.name = "AddOne", .inputs = x, .outputs = y}, SameShape, AddOne);
    ops_.Add({.name = "LateAddOne", .inputs = x, .outputs = y}, nullptr, AddOne);
    ops_.Add({.name = "NonZero", .inputs = x, .outputs = y}, nullptr, NonZero);
    ops_.Add({.name = "TellParts", .inputs = x, .outputs = y}, SameShape, TellParts);
    ops_.Add({.name = "TellManyParts", .inputs = x, .outputs = y}, SameShape, TellManyParts);
    ops_.Add({.name = "PassOn", .inputs = x, .outputs = y}, SameShape, PassOn);
    ops_.Add({.name = "LatePassOn", .inputs = x, .outputs = y}, nullptr, PassOn);
    ops_.Add({.name = "Forget", .inputs = x, .outputs = y}, nullptr, Forget);
    ops_.Add({.name = "Refuse", .inputs = x, .outputs = y}, nullptr, Refuse);
    ops_.Add({.name = "NoReason", .inputs = x, .outputs = y}, nullptr, RefuseWithoutReason);
    ops_.Add({.name = "Claim", .inputs = x, .outputs = y}, SameShape, ClaimSuccessAfterFailing);
    ops_.Add({.name = "Another", .inputs = x, .outputs = y}, SameShape, FailWithAnother);
    ops_.Add({.name = "Twice", .inputs = x, .outputs = y}, nullptr, AllocateTwice);
    ops_.Add({.name = "AnotherShape", .inputs = x, .outputs = y}, SameShape, AllocateAnotherShape);
    ops_.Add({.name = "WithoutSizes", .inputs = x, .outputs = y}, SameShape, AllocateWithoutSizes);
    ops_.Add({.name = "Increment", .inputs = x, .outputs = y}, nullptr, IncrementAndCount);
    ops_.Add({.name = "KeepFirst", .inputs = x, .outputs = y}, nullptr, KeepFirst);
    ops_.Add({.name = "ThroughTemp", .inputs = x, .outputs = y}, nullptr, ThroughTemp);
    ops_.Add({.name = "FailOnce", .inputs = x, .outputs = y}, nullptr, FailOnce);
    ops_.Add({.name = "Rewrite", .inputs = x, .outputs = {"y: string"}}, SameShape, Rewrite);
    ops_.Add({.name = "TwiceAsMany", .inputs = x, .outputs = y}, nullptr, ForwardTwiceAsMany);
    ops_.Add({.name = "AsFloat", .inputs = x, .outputs = {"y: float"}}, nullptr, ForwardAsFloat);
    ops_.Add({.name = "SetToTemp", .inputs = x, .outputs = y}, nullptr, SetToTemp<false>);
    ops_.Add({.name = "SetToGrown", .inputs = x, .outputs = y}, SameShape, SetToTemp<true>);
    ops_.Add({.name = "Huge", .inputs = x, .outputs = y}, nullptr, HugeThenNothing);
    ops_.Add({.name = "TwoRows", .inputs = x, .outputs = y}, nullptr, TwoRows);
    ops_.Add({.name = "Strides", .inputs = x, .outputs = y}, nullptr, Strides);
    ops_.Add({.name = "SetToItself", .inputs = x, .outputs = y}, nullptr, SetToItself);
    ops_.Add({.name = "KeepWhatIsNotMade", .inputs = x, .outputs = y}, nullptr, KeepWhatIsNotMade);
    ops_.Add({.name = "SetToOthers", .inputs = x, .outputs = {"y: resource"}}, nullptr, SetToOthers);
    ops_.Add({.name = "RefuseTwice", .inputs = x, .outputs = y, .attrs = {"level: int"}}, SameShape, AddOne,
             RefuseTwice);
    ops_.Add({.name = "OneMore", .inputs = x, .outputs = y}, SameShape, AllocateOneMore);
    ops_.Add({.name = "Negative", .inputs = x, .outputs = y}, nullptr, AllocateNegative);
    ops_.Add({.name = "ForgetTheLast", .inputs = x, .outputs = {"y: int32", "ys: N * int32"}, .attrs = {"N: int = 2"}},
             nullptr, ForgetTheLast);
    ops_.Add({.name = "KeepATemp", .inputs = x, .outputs = y}, nullptr, KeepATemp);
    ops_.Add({.name = "WritePastTheEnd", .inputs = x, .outputs = {"y: string"}}, SameShape, WritePastTheEnd);
    ops_.Add({.name = "RefuseShape", .inputs = x, .outputs = y}, RefuseShape, AddOne);
    ops_.Add({.name = "IsAligned", .inputs = x, .outputs = y}, nullptr, IsAligned);
    ops_.Add({.name = "StopHere", .inputs = x, .outputs = y}, SameShape, StopHere);
    forwarded = 0;
    huge_calls = 0;
    failing_calls = 0;
    kept = nullptr;
  }
  ~LaneTest() override {
    if (kept != nullptr) kept->host->release(kept);
  }

  // A lane for a graph with the declared feed `d` of any length and the constant x = [1, 2, 3].
  void Make(const std::string& nodes, const std::string& output) {
    plan_ = ops_.Make("feeds:\n  x: {value: [1, 2, 3], dtype: int32}\n  d: {dtype: int32, shape: [-1]}\nnodes:\n" +
                          nodes + "outputs: [" + output + "]\n",
                      HostTable());
    ASSERT_NE(plan_, nullptr) << ops_.Found();
    Result<std::unique_ptr<Lane>> lane = Lane::Create(*plan_, {device_.get(), HostTable()});
    ASSERT_TRUE(lane.ok());
    lane_ = *std::move(lane);
    Feed({0});
  }
  void Feed(const std::vector<int32_t>& values) {
    Result<Tensor> tensor = Tensor::Create(DType::kInt32, {static_cast<int64_t>(values.size())});
    std::memcpy(tensor->mutable_data(), values.data(), values.size() * sizeof(int32_t));
    ASSERT_TRUE(lane_->SetFeed("d", *tensor).ok());
  }
  std::vector<int32_t> Output() {
    EXPECT_FALSE(lane_->Run().has_value());
    const Result<Tensor> tensor = lane_->Output(0);
    const auto* data = static_cast<const int32_t*>(tensor->data());
    return {data, data + tensor->num_elements()};
  }
  // Makes a lane with a device of that much memory, runs it three times and drops it: then all must be back.
  void ExpectAllComesBack(const std::string& nodes, const std::string& output) {
    constexpr size_t kLimit = 1 << 20;
    lane_.reset();
    device_ = LimitMemory(OpenCpuDevice(), kLimit);
    Make(nodes, output);
    for (int i = 0; i < 3; ++i) EXPECT_EQ(Failure(), "none") << nodes;
    lane_.reset();
    void* const all = device_->Allocate(kLimit, kNoStream);
    EXPECT_NE(all, nullptr) << nodes;
    device_->Free(all, kNoStream);
    EXPECT_EQ(device_->Allocate(kLimit + 1, kNoStream), nullptr) << nodes << "more came back than was given out";
  }
  // "CODE: sentence", for what no golden has.
  std::string Said() {
    const std::optional<RunFailure> failure = lane_->Run();
    return failure ? CodeName(failure->status.code()) + ": " + failure->status.message() : "none";
  }
  // The code, and the place within the node: "INTERNAL output:y".
  std::string Failure() {
    const std::optional<RunFailure> failure = lane_->Run();
    if (!failure) return "none";
    const std::string& subject = failure->status.subject();
    return CodeName(failure->status.code()) + (subject.empty() ? "" : " " + subject);
  }

  std::unique_ptr<Device> device_ = OpenCpuDevice();
  InProcessOps ops_;
  const Plan* plan_ = nullptr;
  std::unique_ptr<Lane> lane_;
};

using Values = std::vector<int32_t>;

TEST_F(LaneTest, RunsAChainOfPlannedSteps) {
  Make("  a: {op: AddOne, in: x}\n  b: {op: AddOne, in: a}\n  c: {op: AddOne, in: b}\n", "c");
  EXPECT_EQ(Output(), (Values{4, 5, 6}));
  EXPECT_EQ(Output(), (Values{4, 5, 6}));
}

TEST_F(LaneTest, ShapesFollowTheRun) {
  Make("  a: {op: NonZero, in: d}\n  b: {op: AddOne, in: a}\n", "b");
  for (const Values& fed : {Values{0, 5, 0}, Values{1, 2, 3, 4}, Values{0}}) {
    Feed(fed);
    Values expected;
    for (int32_t v : fed) {
      if (v != 0) expected.push_back(v + 1);
    }
    EXPECT_EQ(Output(), expected);
  }
}

TEST_F(LaneTest, LateOutputsReuseTheirMemory) {
  std::string nodes = "  n0: {op: LateAddOne, in: x}\n";
  for (int i = 1; i < 50; ++i)
    nodes += "  n" + std::to_string(i) + ": {op: LateAddOne, in: n" + std::to_string(i - 1) + "}\n";
  Make(nodes, "n49");
  const size_t before = lane_->MemoryBytes();
  EXPECT_EQ(Output(), (Values{51, 52, 53}));
  const size_t bytes = lane_->MemoryBytes();
  EXPECT_GT(bytes, before);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(Output(), (Values{51, 52, 53}));
  EXPECT_EQ(lane_->MemoryBytes(), bytes);
}

TEST_F(LaneTest, AnInputHandedOnAsOutputIsCopiedWherePlannedAndSharedWhereNot) {
  Make(
      "  a: {op: LateAddOne, in: x}\n  b: {op: LatePassOn, in: a}\n  c: {op: PassOn, in: x}\n  d1: {op: LatePassOn, "
      "in: c}\n  e: {op: AddOne, in: b}\n",
      "e");
  EXPECT_EQ(Output(), (Values{3, 4, 5}));
  EXPECT_EQ(Output(), (Values{3, 4, 5}));
}

TEST_F(LaneTest, ForwardsABufferThatNobodyElseReads) {
  Make("  a: {op: LateAddOne, in: x}\n  b: {op: Increment, in: a}\n", "b");
  EXPECT_EQ(Output(), (Values{3, 4, 5}));
  EXPECT_EQ(Output(), (Values{3, 4, 5}));
  EXPECT_EQ(forwarded, 2);
}

TEST_F(LaneTest, ForwardsNeitherASharedBufferNorAResultNorAFeed) {
  Make(
      "  a: {op: LateAddOne, in: x}\n  p: {op: LatePassOn, in: a}\n  b: {op: Increment, in: p, after: c}\n  c: {op: "
      "LatePassOn, in: a}\n  e: {op: Increment, in: d}\n",
      "c");
  Feed({1, 2});
  EXPECT_EQ(Output(), (Values{2, 3, 4}));
  EXPECT_EQ(forwarded, 0);
}

TEST_F(LaneTest, ForwardsNoBlockOfAnotherSizeOrType) {
  Make("  a: {op: LateAddOne, in: x}\n  b: {op: TwiceAsMany, in: a}\n", "b");
  EXPECT_EQ(Output().size(), 6u);
  Make("  a: {op: LateAddOne, in: x}\n  b: {op: AsFloat, in: a}\n", "b");
  EXPECT_EQ(Failure(), "none");
  EXPECT_EQ(forwarded, 0);
}

TEST_F(LaneTest, AnOutputIsWhatItWasSetToLast) {
  Make("  a: {op: SetToTemp, in: x}\n", "a");
  EXPECT_EQ(Output(), (Values{-1, -2, -3}));
  Make("  a: {op: SetToGrown, in: d}\n", "a");
  EXPECT_EQ(Failure(), "INVALID_ARGUMENT output:y");
}

TEST_F(LaneTest, AnOutputMayBeSetToItself) {
  Make("  a: {op: SetToItself, in: x}\n", "a");
  EXPECT_EQ(Output(), (Values{2, 3, 4}));
}

TEST_F(LaneTest, OnlyWhatIsMadeCanBeKept) {
  Make("  a: {op: KeepWhatIsNotMade, in: x}\n", "a");
  EXPECT_EQ(Output(), (Values{2, 3, 4}));
}

TEST_F(LaneTest, ResourcesOfAnotherHostAreCounted) {
  OtherHost other;
  other_host = &other;
  Make("  a: {op: SetToOthers, in: x}\n  b: {op: AddOne, in: x, after: a}\n", "b");
  for (int run = 1; run <= 3; ++run) {
    EXPECT_EQ(Failure(), "none");
    EXPECT_EQ(other.retained, run);
    EXPECT_EQ(other.released, run);
  }
}

TEST_F(LaneTest, TheFirstReasonWhyAKernelCannotBeMadeCounts) {
  const Plan* plan = ops_.Make(
      "feeds: {x: {value: [1], dtype: int32}}\nnodes:\n  a: {op: RefuseTwice, in: x, attrs: {level: 3}}\noutputs: "
      "[a]\n",
      HostTable());
  EXPECT_EQ(plan, nullptr);
  EXPECT_EQ(ops_.Places(), "G216 4:46\n");
}

TEST_F(LaneTest, OutputsOfWrongSizesAreRefused) {
  Make("  a: {op: OneMore, in: x}\n", "a");
  EXPECT_EQ(Failure(), "INVALID_ARGUMENT output:y");
  Make("  a: {op: Negative, in: x}\n", "a");
  EXPECT_EQ(Failure(), "INVALID_ARGUMENT output:y");
}

TEST_F(LaneTest, AnOutputOfAListIsNamedByItsPlace) {
  Make("  a: {op: ForgetTheLast, in: x}\n", "a.y");
  EXPECT_EQ(Failure(), "INTERNAL output:ys.1");
}

TEST_F(LaneTest, AResultIsNotForwarded) {
  Make("  a: {op: LateAddOne, in: x}\n  b: {op: Increment, in: a}\n", "a, b");
  EXPECT_EQ(Output(), (Values{2, 3, 4}));
  EXPECT_EQ(forwarded, 0);
}

TEST_F(LaneTest, ATemporaryIsCounted) {
  Make("  a: {op: KeepATemp, in: x}\n", "a");
  for (int run = 0; run < 3; ++run) EXPECT_EQ(Output(), (Values{5, 5, 5}));
}

TEST_F(LaneTest, StringsEndWhereTheyEnd) {
  Make("  a: {op: WritePastTheEnd, in: x}\n", "a");
  EXPECT_EQ(Failure(), "none");
}

TEST_F(LaneTest, AShapeFunctionThatRefusesSaysWhere) {
  const Plan* plan = ops_.Make(
      "feeds: {x: {value: [1], dtype: int32}}\nnodes:\n  a: {op: RefuseShape, in: x}\noutputs: [a]\n", HostTable());
  EXPECT_EQ(plan, nullptr);
  EXPECT_EQ(ops_.Places(), "G217 4:28\n");
}

TEST_F(LaneTest, LateTensorsAreDense) {
  Make(
      "  a: {op: TwoRows, in: x}\n  b: {op: TwoRows, in: x, after: f}\n  f: {op: NonZero, in: a}\n"
      "  g: {op: Strides, in: b}\n",
      "g");
  for (int run = 0; run < 3; ++run) EXPECT_EQ(Output(), (Values{3, 1}));
}

TEST_F(LaneTest, WhatAFailedAllocationLeftIsForgotten) {
  device_ = LimitMemory(OpenCpuDevice(), 1 << 20);
  Make("  a: {op: Huge, in: x}\n", "a");
  EXPECT_EQ(Failure(), "RESOURCE_EXHAUSTED output:y");
  EXPECT_EQ(Failure(), "INTERNAL output:y");
}

TEST_F(LaneTest, AnOutputIsBoundUntilItIsUnbound) {
  Make("  a: {op: AddOne, in: x}\n", "a");
  alignas(64) int32_t mine[3] = {};
  ASSERT_TRUE(lane_->BindOutput(0, mine));
  EXPECT_EQ(Output(), (Values{2, 3, 4}));
  EXPECT_EQ(mine[2], 4);
  mine[2] = 0;
  ASSERT_TRUE(lane_->BindOutput(0, nullptr));
  EXPECT_EQ(Output(), (Values{2, 3, 4}));
  EXPECT_EQ(mine[2], 0);
}

TEST_F(LaneTest, AFeedIsCalledAlignedIfItIs) {
  Make("  a: {op: IsAligned, in: d}\n", "a");
  alignas(64) int32_t mine[3] = {};
  const int64_t n = 2;
  lane_->BindFeed(0, DType::kInt32, 1, &n, mine);
  EXPECT_EQ(Output(), Values{1});
  lane_->BindFeed(0, DType::kInt32, 1, &n, mine + 1);
  EXPECT_EQ(Output(), Values{0});
}

TEST_F(LaneTest, AStoppedRunNamesTheNodeThatRanLast) {
  Make("  a: {op: AddOne, in: x}\n  b: {op: StopHere, in: a}\n  c: {op: AddOne, in: b}\n", "c");
  StopSignal stop;
  to_stop = &stop;
  lane_->SetStop(&stop);
  const std::optional<RunFailure> failure = lane_->Run();
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->status.code(), OPSRUN_CANCELLED);
  EXPECT_EQ(failure->step, 1u);
  lane_->SetStop(nullptr);
  EXPECT_EQ(Output(), (Values{4, 5, 6}));
}

TEST_F(LaneTest, AStepThatDidNotRunHasNoTime) {
  Make("  a: {op: FailOnce, in: x}\n  b: {op: AddOne, in: a}\n", "b");
  RunTimes times;
  times.steps.assign(2, StepTime{7, 8, 9});
  EXPECT_TRUE(lane_->RunTimed(times).has_value());
  EXPECT_NE(times.steps[0].begin, 0);
  EXPECT_EQ(times.steps[1].begin, 0);
}

TEST_F(LaneTest, PartsAreRecordedOnlyForTheRunThatWantsThem) {
  Make("  a: {op: AddOne, in: x}\n  b: {op: TellParts, in: a}\n", "b");
  RunTimes times;
  EXPECT_FALSE(lane_->Run().has_value());
  EXPECT_FALSE(lane_->RunTimed(times).has_value());
  EXPECT_TRUE(times.parts.empty());
  times.wants_parts = true;
  for (int run = 0; run < 2; ++run) {
    EXPECT_FALSE(lane_->RunTimed(times).has_value());
    ASSERT_EQ(times.parts.size(), 2u);
    EXPECT_EQ(times.parts[0].name, "inner");
    EXPECT_EQ(times.parts[1].name, "outer");
    EXPECT_EQ(times.parts[1].step, 1u);
    EXPECT_LE(times.steps[1].begin, times.parts[1].begin);
    EXPECT_LE(times.parts[1].begin, times.parts[0].begin);
    EXPECT_LE(times.parts[0].end, times.parts[1].end);
    EXPECT_LE(times.parts[1].end, times.steps[1].end);
  }
}

TEST_F(LaneTest, PartsBeyondTheLimitAreCounted) {
  Make("  a: {op: TellManyParts, in: x}\n", "a");
  RunTimes times;
  times.wants_parts = true;
  EXPECT_FALSE(lane_->RunTimed(times).has_value());
  EXPECT_EQ(times.parts.size(), RunTimes::kMostParts);
  EXPECT_EQ(times.parts_left_out, 3u);
}

TEST_F(LaneTest, WhatAKernelKeepsStaysAsItWas) {
  Make("  a: {op: NonZero, in: d}\n  b: {op: KeepFirst, in: a}\n", "b");
  Feed({1, 2});
  EXPECT_EQ(Output(), (Values{1, 2}));
  Feed({7, 8, 9});
  EXPECT_EQ(Output(), (Values{1, 2}));
}

TEST_F(LaneTest, KeepingPlannedMemoryCopiesIt) {
  Make("  b: {op: KeepFirst, in: d}\n", "b");
  Feed({1, 2});
  EXPECT_EQ(Output(), (Values{1, 2}));
  Feed({7, 8});
  EXPECT_EQ(Output(), (Values{1, 2}));
}

TEST_F(LaneTest, ATemporaryBecomesAnOutput) {
  Make("  a: {op: ThroughTemp, in: x}\n  b: {op: AddOne, in: a}\n", "b");
  EXPECT_EQ(Output(), (Values{11, 21, 31}));
  const size_t bytes = lane_->MemoryBytes();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(Output(), (Values{11, 21, 31}));
  EXPECT_EQ(lane_->MemoryBytes(), bytes);
}

TEST_F(LaneTest, ManyTemporariesNeedNoMoreMemoryThanOne) {
  device_ = LimitMemory(OpenCpuDevice(), 1 << 16);
  Make("  a: {op: ThroughTemp, in: x}\n  b: {op: AddOne, in: a}\n", "b");
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(Failure(), "none");
}

TEST_F(LaneTest, TellsWhoFailedAndRunsAgain) {
  Make("  a: {op: NonZero, in: d}\n  b: {op: Twice, in: a}\n", "b");
  EXPECT_EQ(Failure(), "INTERNAL output:y");
  EXPECT_EQ(Failure(), "INTERNAL output:y");
}

TEST_F(LaneTest, ARunAfterAFailureBeginsAnew) {
  Make("  a: {op: LateAddOne, in: d}\n  b: {op: FailOnce, in: a}\n  c: {op: AddOne, in: b}\n", "c");
  EXPECT_NE(Failure(), "none");
  Feed({4, 5});
  EXPECT_EQ(Output(), (Values{7, 8}));
}

TEST_F(LaneTest, MemoryComesBackFromOutputsTemporariesAndStrings) {
  ExpectAllComesBack("  a: {op: LateAddOne, in: x}\n  b: {op: NonZero, in: a}\n", "b");
  ExpectAllComesBack("  a: {op: ThroughTemp, in: x}\n  b: {op: LatePassOn, in: a}\n", "b");
  ExpectAllComesBack("  a: {op: SetToTemp, in: x}\n", "a");
  ExpectAllComesBack("  a: {op: Rewrite, in: x}\n", "a");
  ExpectAllComesBack("  a: {op: Rewrite, in: x}\n  b: {op: AddOne, in: x, after: a}\n", "b");
}

TEST_F(LaneTest, TellsWhatTheKernelSaid) {
  Make("  a: {op: Refuse, in: x}\n", "a");
  EXPECT_EQ(Failure(), "OUT_OF_RANGE input:x");
  const Diagnostic told = DescribeFailure(*plan_, *lane_->Run());
  EXPECT_EQ(told.code.text(), "R401");
  EXPECT_EQ(told.where.begin.column, 23u);
}

TEST_F(LaneTest, AFailureWithoutAReasonIsNamed) {
  Make("  a: {op: NoReason, in: x}\n", "a");
  EXPECT_EQ(Failure(), "ABORTED");
}

// What was recorded is the reason if the kernel fails, with the kernel's code.
TEST_F(LaneTest, TheCodeThatTheKernelReturnsDecides) {
  Make("  a: {op: Claim, in: x}\n", "a");
  EXPECT_EQ(Failure(), "none");
  Make("  a: {op: Claim, in: x}\n  b: {op: Another, in: a}\n", "b");
  EXPECT_EQ(Failure(), "UNKNOWN input:x");
  EXPECT_EQ(lane_->Run()->status.message(), "broken");
  EXPECT_EQ(lane_->Run()->step, 1u);
}

TEST_F(LaneTest, AForgottenOutputIsNamed) {
  Make("  a: {op: Forget, in: x}\n", "a");
  EXPECT_EQ(Failure(), "INTERNAL output:y");
}

TEST_F(LaneTest, AKernelThatContradictsItsShapeFunctionIsNamedWithBothShapes) {
  Make("  a: {op: AnotherShape, in: x}\n", "a");
  EXPECT_EQ(Failure(), "INVALID_ARGUMENT output:y");
}

// Also where a block of a node before is at hand.
TEST_F(LaneTest, AShapeThatIsKnownInPartIsComparedToo) {
  Make("  a: {op: LateAddOne, in: x}\n  b: {op: NonZero, in: a}\n  c: {op: AnotherShape, in: d, after: b}\n", "c");
  const std::optional<RunFailure> failure = lane_->Run();
  ASSERT_TRUE(failure.has_value());
  EXPECT_EQ(failure->status.code(), OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(failure->status.subject(), "output:y");
  EXPECT_EQ(failure->step, 2u);
}

TEST_F(LaneTest, AShapeWithoutSizesIsRefused) {
  Make("  a: {op: WithoutSizes, in: x}\n", "a");
  EXPECT_EQ(Failure(), "INVALID_ARGUMENT output:y");
}

TEST_F(LaneTest, AFeedThatDoesNotFitIsRefused) {
  Make("  a: {op: AddOne, in: d}\n", "a");
  const Status status = lane_->SetFeed("d", *Tensor::Create(DType::kFloat32, {2}));
  EXPECT_EQ(status.code(), OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(lane_->SetFeed("d", *Tensor::Create(DType::kInt32, {2, 2})).code(), OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(lane_->SetFeed("x", *Tensor::Create(DType::kInt32, {3})).code(), OPSRUN_NOT_FOUND);
}

TEST_F(LaneTest, TwoLanesOfOnePlanDoNotMeet) {
  Make("  a: {op: NonZero, in: d}\n", "a");
  Result<std::unique_ptr<Lane>> other = Lane::Create(*plan_, {device_.get(), HostTable()});
  Result<Tensor> tensor = Tensor::Create(DType::kInt32, {1});
  static_cast<int32_t*>(tensor->mutable_data())[0] = 42;
  ASSERT_TRUE((*other)->SetFeed("d", *tensor).ok());
  Feed({1, 2});
  EXPECT_EQ(Output(), (Values{1, 2}));
  ASSERT_FALSE((*other)->Run().has_value());
  EXPECT_EQ((*other)->Output(0)->shape(), Shape{1});
  EXPECT_EQ(lane_->Output(0)->shape(), Shape{2});
}

}  // namespace
}  // namespace opsrun::host
