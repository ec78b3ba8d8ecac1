// tests/host/run/lane_test.cc: what a run does with memory, whatever kernels do.
// SPDX-License-Identifier: Apache-2.0
#include "host/run/lane.h"

#include <gtest/gtest.h>

#include <cstring>

#include "host/tensor/resources.h"
#include "tests/host/plan/in_process_ops.h"
#include "tests/host/run/int_kernels.h"
#include "tests/host/run/one_host.h"

namespace opsrun::host {
namespace {

// The elements that are not zero: a shape that only the run knows.
int32_t NonZero(void*, opsrun_call* call) {
  std::vector<int32_t> kept;
  for (int64_t i = 0; i < Count(call->in[0]); ++i) {
    if (Ints(call->in[0])[i] != 0) kept.push_back(Ints(call->in[0])[i]);
  }
  const auto n = static_cast<int64_t>(kept.size());
  opsrun_tensor* out = nullptr;
  if (int32_t code = call->host->allocate_output(call, 0, 1, &n, &out)) return code;
  if (n > 0) std::memcpy(out->data, kept.data(), kept.size() * sizeof(int32_t));
  return OPSRUN_OK;
}

const opsrun_trace* TraceOf(const opsrun_call* call) {
  return static_cast<const opsrun_trace*>(call->host->query(nullptr, C(OPSRUN_TRACE_1)));
}
// A part within another one, and one that did not begin.
int32_t TellParts(void*, opsrun_call* call) {
  const opsrun_trace* const trace = TraceOf(call);
  const int64_t outer = trace->now(call), inner = trace->now(call);
  trace->span(call, C("inner"), inner);
  trace->span(call, C("outer"), outer);
  trace->span(call, C("none"), 0);
  return AddOne(nullptr, call);
}
int32_t TellManyParts(void*, opsrun_call* call) {
  const opsrun_trace* const trace = TraceOf(call);
  for (size_t i = 0; i < RunTimes::kMostParts + 3; ++i) trace->span(call, C("one"), trace->now(call));
  return AddOne(nullptr, call);
}
int32_t AllocateAnotherShape(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  const int64_t dims[] = {2, 3};
  return call->host->allocate_output(call, 0, 2, dims, &out);
}
// In place if the host lets it, else a copy; remembers which.
int forwarded = 0;
// Asks for its input's block, for so many times the elements; remembers whether it got it. Adds 1 where it can.
template <int kTimes>
int32_t Forward(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  const opsrun_tensor* in = call->in[0];
  const int64_t n = kTimes * Count(in);
  if (int32_t code = call->host->forward_input(call, 0, 0, 1, &n, &out)) return code;
  forwarded += out != nullptr;
  if (out == nullptr) {
    if (int32_t code = call->host->allocate_output(call, 0, 1, &n, &out)) return code;
  }
  for (int64_t i = 0; i < Count(in); ++i) Ints(out)[i] = Ints(in)[i] + 1;
  return OPSRUN_OK;
}
// Keeps its input of the first call and gives it out in all later ones.
const opsrun_tensor* kept = nullptr;
int32_t KeepFirst(void*, opsrun_call* call) {
  if (kept == nullptr) {
    if (int32_t code = call->in[0]->host->retain(call->in[0], &kept)) return code;
  }
  return call->host->set_output(call, 0, kept);
}
// Through a temporary of its own.
int32_t ThroughTemp(void*, opsrun_call* call) {
  const opsrun_tensor* temp = nullptr;
  const opsrun_tensor* in = call->in[0];
  if (int32_t code = call->host->allocate_temp(call, OPSRUN_DT_INT32, in->rank, in->shape, 0, &temp)) return code;
  for (int64_t i = 0; i < Count(in); ++i) Ints(temp)[i] = 10 * Ints(in)[i];
  const int32_t code = call->host->set_output(call, 0, temp);
  temp->host->release(temp);
  return code;
}

// Fails the first time.
int failing_calls = 0;
int32_t FailOnce(void*, opsrun_call* call) {
  if (failing_calls++ == 0) return OPSRUN_ABORTED;
  return AddOne(nullptr, call);
}

// Allocates its output, then sets it to a temporary, of one dimension more if `grown`.
template <bool grown>
int32_t SetToTemp(void*, opsrun_call* call) {
  const opsrun_tensor* in = call->in[0];
  opsrun_tensor* out = nullptr;
  if (int32_t code = call->host->allocate_output(call, 0, in->rank, in->shape, &out)) return code;
  const int64_t dims[] = {1, Count(in)};
  const opsrun_tensor* temp = nullptr;
  const int32_t rank = grown ? 2 : 1;
  if (int32_t code = call->host->allocate_temp(call, OPSRUN_DT_INT32, rank, grown ? dims : dims + 1, 0, &temp))
    return code;
  for (int64_t i = 0; i < Count(in); ++i) Ints(temp)[i] = -Ints(in)[i];
  const int32_t code = call->host->set_output(call, 0, temp);
  temp->host->release(temp);
  return code;
}
// A tensor of another host, with one resource of it.
struct OtherHost {
  OtherHost() {
    table.resource_retain = [](const opsrun_resource* r) -> int32_t {
      ++static_cast<OtherHost*>(r->obj)->retained;
      return OPSRUN_OK;
    };
    table.resource_release = [](const opsrun_resource* r) -> int32_t {
      ++static_cast<OtherHost*>(r->obj)->released;
      return OPSRUN_OK;
    };
    resource.host = &table;
    resource.obj = this;
    tensor.host = &table;
    tensor.flags = 1u << 17;  // whatever that means there
    tensor.rank = 1;
    tensor.shape = one;
    tensor.strides = one;
    tensor.dtype = OPSRUN_DT_RESOURCE;
    tensor.data = elements;
  }
  int retained = 0, released = 0;
  opsrun_host table{};
  opsrun_resource resource{};
  const opsrun_resource* elements[1] = {&resource};
  int64_t one[1] = {1};
  opsrun_tensor tensor{};
};
OtherHost* other_host = nullptr;
int32_t SetToOthers(void*, opsrun_call* call) {
  return call->host->set_output(call, 0, &other_host->tensor);
}
// All but the last of its outputs.
int32_t ForgetTheLast(void*, opsrun_call* call) {
  for (uint32_t i = 0; i + 1 < call->n_out; ++i) {
    opsrun_tensor* out = nullptr;
    const opsrun_tensor* in = call->in[0];
    if (int32_t code = call->host->allocate_output(call, i, in->rank, in->shape, &out)) return code;
  }
  return OPSRUN_OK;
}
int32_t IsAligned(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  const int64_t n = 1;
  if (int32_t code = call->host->allocate_output(call, 0, 1, &n, &out)) return code;
  Ints(out)[0] = (call->in[0]->flags & OPSRUN_TENSOR_ALIGNED64) != 0;
  return OPSRUN_OK;
}
// As somebody who wants the run to end while this kernel works.

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
    ops_.Add({.name = "AnotherShape", .inputs = x, .outputs = y}, SameShape, AllocateAnotherShape);
    ops_.Add({.name = "Increment", .inputs = x, .outputs = y}, nullptr, Forward<1>);
    ops_.Add({.name = "KeepFirst", .inputs = x, .outputs = y}, nullptr, KeepFirst);
    ops_.Add({.name = "ThroughTemp", .inputs = x, .outputs = y}, nullptr, ThroughTemp);
    ops_.Add({.name = "FailOnce", .inputs = x, .outputs = y}, nullptr, FailOnce);
    ops_.Add({.name = "TwiceAsMany", .inputs = x, .outputs = y}, nullptr, Forward<2>);
    ops_.Add({.name = "AsFloat", .inputs = x, .outputs = {"y: float"}}, nullptr, Forward<1>);
    ops_.Add({.name = "SetToTemp", .inputs = x, .outputs = y}, nullptr, SetToTemp<false>);
    ops_.Add({.name = "SetToGrown", .inputs = x, .outputs = y}, SameShape, SetToTemp<true>);
    ops_.Add({.name = "SetToOthers", .inputs = x, .outputs = {"y: resource"}}, nullptr, SetToOthers);
    ops_.Add({.name = "ForgetTheLast", .inputs = x, .outputs = {"y: int32", "ys: N * int32"}, .attrs = {"N: int = 2"}},
             nullptr, ForgetTheLast);
    ops_.Add({.name = "IsAligned", .inputs = x, .outputs = y}, nullptr, IsAligned);
    forwarded = 0;
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
  void Feed(const std::vector<int32_t>& values) { ASSERT_TRUE(lane_->SetFeed("d", TensorOf(values)).ok()); }
  std::vector<int32_t> Output() {
    EXPECT_FALSE(lane_->Run().has_value());
    return ValuesOf(lane_->Output(0));
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

TEST_F(LaneTest, ForwardsABufferThatNobodyElseReads) {
  Make("  a: {op: LateAddOne, in: x}\n  b: {op: Increment, in: a}\n", "b");
  EXPECT_EQ(Output(), (Values{3, 4, 5}));
  EXPECT_EQ(Output(), (Values{3, 4, 5}));
  EXPECT_EQ(forwarded, 2);
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

TEST_F(LaneTest, AnOutputOfAListIsNamedByItsPlace) {
  Make("  a: {op: ForgetTheLast, in: x}\n", "a.y");
  EXPECT_EQ(Failure(), "INTERNAL output:ys.1");
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

// Memory of the run, and memory that was planned.
TEST_F(LaneTest, WhatAKernelKeepsStaysAsItWas) {
  for (const char* nodes :
       {"  a: {op: NonZero, in: d}\n  b: {op: KeepFirst, in: a}\n", "  b: {op: KeepFirst, in: d}\n"}) {
    Make(nodes, "b");
    Feed({1, 2});
    EXPECT_EQ(Output(), (Values{1, 2}));
    Feed({7, 8, 9});
    EXPECT_EQ(Output(), (Values{1, 2}));
    kept->host->release(std::exchange(kept, nullptr));
  }
}

TEST_F(LaneTest, ManyTemporariesNeedNoMoreMemoryThanOne) {
  device_ = LimitMemory(OpenCpuDevice(), 1 << 16);
  Make("  a: {op: ThroughTemp, in: x}\n  b: {op: AddOne, in: a}\n", "b");
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(Failure(), "none");
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

TEST_F(LaneTest, AFeedThatDoesNotFitIsRefused) {
  Make("  a: {op: AddOne, in: d}\n", "a");
  const Status status = lane_->SetFeed("d", *Tensor::Create(DType::kFloat32, {2}));
  EXPECT_EQ(status.code(), OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(lane_->SetFeed("d", *Tensor::Create(DType::kInt32, {2, 2})).code(), OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(lane_->SetFeed("x", *Tensor::Create(DType::kInt32, {3})).code(), OPSRUN_NOT_FOUND);
}

}  // namespace
}  // namespace opsrun::host
