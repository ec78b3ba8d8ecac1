// tests/host/run/lane_test.cc: what a run does with memory, whatever kernels do.
// SPDX-License-Identifier: Apache-2.0
#include "host/run/lane.h"

#include "tests/host/run/run_test.h"

namespace opsrun::host {
namespace {

using LaneTest = RunTest;

TEST_F(LaneTest, ForwardsABlockOfTheSameSizeAndTypeThatNobodyElseReads) {
  ops_.Add({.name = "AsFloat", .inputs = {"x: int32"}, .outputs = {"y: float"}}, nullptr, DoIt);
  int64_t times = 1;  // as many elements
  int forwarded = 0;
  to_do = [&](opsrun_call* call) -> int32_t {
    opsrun_tensor* out = nullptr;
    const opsrun_tensor* in = call->in[0];
    const int64_t n = times * Count(in);
    if (int32_t code = call->host->forward_input(call, 0, 0, 1, &n, &out)) return code;
    forwarded += out != nullptr;
    if (out == nullptr) {
      if (int32_t code = call->host->allocate_output(call, 0, 1, &n, &out)) return code;
    }
    for (int64_t i = 0; i < Count(in); ++i) Ints(out)[i] = Ints(in)[i] + 1;
    return OPSRUN_OK;
  };
  Make("  a: {op: LateAddOne, in: x}\n  b: {op: LateDo, in: a}\n", "b");
  for (int run = 0; run < 2; ++run) EXPECT_EQ(Output(), (Row{3, 4, 5}));
  EXPECT_EQ(forwarded, 2);
  times = 2;
  EXPECT_EQ(Output().size(), 6u);
  times = 1;
  Make("  a: {op: LateAddOne, in: x}\n  b: {op: AsFloat, in: a}\n", "b");
  EXPECT_EQ(Ending(), "none");
  EXPECT_EQ(forwarded, 2);
}

TEST_F(LaneTest, AnOutputIsWhatItWasSetToLast) {
  int32_t rank = 1;
  to_do = [&](opsrun_call* call) -> int32_t {
    opsrun_tensor* out = nullptr;
    if (int32_t code = AllocateLikeInput(call, &out)) return code;
    const int64_t shape[] = {Count(out), 1};
    return SetToTemporary(call, rank, shape, [&](const opsrun_tensor& temp) {
      for (int64_t i = 0; i < Count(out); ++i) Ints(&temp)[i] = -Ints(call->in[0])[i];
    });
  };
  Make("  a: {op: LateDo, in: x}\n", "a");
  EXPECT_EQ(Output(), (Row{-1, -2, -3}));
  rank = 2;
  Make("  a: {op: Do, in: d}\n", "a");
  EXPECT_EQ(Ending(), "INVALID_ARGUMENT output:y");
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
    resource.host = tensor.host = &table;
    resource.obj = this;
    tensor.flags = 1u << 17;  // whatever that means there
    tensor.rank = 1;
    tensor.shape = tensor.strides = one;
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

TEST_F(LaneTest, ResourcesOfAnotherHostAreCounted) {
  ops_.Add({.name = "SetToOthers", .inputs = {"x: int32"}, .outputs = {"y: resource"}}, nullptr, DoIt);
  OtherHost other;
  to_do = [&](opsrun_call* call) { return call->host->set_output(call, 0, &other.tensor); };
  Make("  a: {op: SetToOthers, in: x}\n  b: {op: AddOne, in: x, after: a}\n", "b");
  for (int run = 1; run <= 3; ++run) {
    EXPECT_EQ(Ending(), "none");
    EXPECT_EQ(other.retained, run);
    EXPECT_EQ(other.released, run);
  }
}

TEST_F(LaneTest, AnOutputOfAListIsNamedByItsPlace) {
  ops_.Add({.name = "ForgetTheLast",
            .inputs = {"x: int32"},
            .outputs = {"y: int32", "ys: N * int32"},
            .attrs = {"N: int = 2"}},
           nullptr, DoIt);
  to_do = [](opsrun_call* call) -> int32_t {
    for (const uint32_t i : {0, 1}) {
      if (int32_t code = Put(call, i, RowOf(call->in[0]))) return code;
    }
    return OPSRUN_OK;
  };
  Make("  a: {op: ForgetTheLast, in: x}\n", "a.y");
  EXPECT_EQ(Ending(), "INTERNAL output:ys.1");
}

TEST_F(LaneTest, AFeedIsCalledAlignedIfItIsAndRefusedIfItDoesNotFit) {
  to_do = [](opsrun_call* call) { return Put(call, 0, {(call->in[0]->flags & OPSRUN_TENSOR_ALIGNED64) != 0}); };
  Make("  a: {op: LateDo, in: d}\n", "a");
  alignas(64) int32_t mine[3] = {};
  const int64_t n = 2;
  for (const int at : {0, 1}) {
    lane_->BindFeed(0, DType::kInt32, 1, &n, mine + at);
    EXPECT_EQ(Output(), Row{at == 0});
  }
  EXPECT_EQ(lane_->SetFeed("d", *Tensor::Create(DType::kFloat32, {2})).code(), OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(lane_->SetFeed("d", *Tensor::Create(DType::kInt32, {2, 2})).code(), OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(lane_->SetFeed("x", *Tensor::Create(DType::kInt32, {3})).code(), OPSRUN_NOT_FOUND);
}

TEST_F(LaneTest, AStepThatDidNotRunHasNoTime) {
  to_do = [](opsrun_call*) -> int32_t { return OPSRUN_ABORTED; };
  Make("  a: {op: LateDo, in: x}\n  b: {op: AddOne, in: a}\n", "b");
  RunTimes times;
  times.steps.assign(2, StepTime{7, 8, 9});
  EXPECT_TRUE(lane_->RunTimed(times).has_value());
  EXPECT_NE(times.steps[0].begin, 0);
  EXPECT_EQ(times.steps[1].begin, 0);
}

const opsrun_trace* TraceOf(const opsrun_call* call) {
  return static_cast<const opsrun_trace*>(call->host->query(nullptr, C(OPSRUN_TRACE_1)));
}

// A part within another one, and one that did not begin.
TEST_F(LaneTest, PartsAreRecordedOnlyForTheRunThatWantsThem) {
  to_do = [](opsrun_call* call) {
    const opsrun_trace* const trace = TraceOf(call);
    const int64_t outer = trace->now(call), inner = trace->now(call);
    trace->span(call, C("inner"), inner);
    trace->span(call, C("outer"), outer);
    trace->span(call, C("none"), 0);
    return AddOne(nullptr, call);
  };
  Make("  a: {op: AddOne, in: x}\n  b: {op: Do, in: a}\n", "b");
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
  to_do = [](opsrun_call* call) {
    const opsrun_trace* const trace = TraceOf(call);
    for (size_t i = 0; i < RunTimes::kMostParts + 3; ++i) trace->span(call, C("one"), trace->now(call));
    return AddOne(nullptr, call);
  };
  Make("  a: {op: Do, in: x}\n", "a");
  RunTimes times;
  times.wants_parts = true;
  EXPECT_FALSE(lane_->RunTimed(times).has_value());
  EXPECT_EQ(times.parts.size(), RunTimes::kMostParts);
  EXPECT_EQ(times.parts_left_out, 3u);
}

// Memory of the run, and memory that was planned.
TEST_F(LaneTest, WhatAKernelKeepsStaysAsItWas) {
  for (const auto& [nodes, first] : {std::pair("  a: {op: LateAddOne, in: d}\n  b: {op: LateDo, in: a}\n", Row{2, 3}),
                                     std::pair("  b: {op: LateDo, in: d}\n", Row{1, 2})}) {
    const opsrun_tensor* kept = nullptr;
    to_do = [&](opsrun_call* call) -> int32_t {
      if (kept == nullptr) {
        if (int32_t code = call->host->retain(call->in[0], &kept)) return code;
      }
      return call->host->set_output(call, 0, kept);
    };
    Make(nodes, "b");
    EXPECT_EQ(Output({1, 2}), first);
    EXPECT_EQ(Output({7, 8, 9}), first);
    kept->host->release(kept);
  }
}

TEST_F(LaneTest, ManyTemporariesNeedNoMoreMemoryThanOne) {
  to_do = [](opsrun_call* call) {
    const opsrun_tensor& in = *call->in[0];
    return SetToTemporary(call, in.rank, in.shape, [&](const opsrun_tensor& temp) {
      for (int64_t i = 0; i < Count(&in); ++i) Ints(&temp)[i] = 10 * Ints(&in)[i];
    });
  };
  Make("  a: {op: LateDo, in: x}\n  b: {op: AddOne, in: a}\n", "b");
  EXPECT_EQ(Output(), (Row{11, 21, 31}));
  const size_t used = device_->used();
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(Ending(), "none");
  EXPECT_EQ(device_->used(), used);
}

// Also where a block of a node before is at hand.
TEST_F(LaneTest, AShapeThatIsKnownInPartIsComparedToo) {
  to_do = [](opsrun_call* call) {
    opsrun_tensor* out = nullptr;
    const int64_t dims[] = {2, 3};
    return call->host->allocate_output(call, 0, 2, dims, &out);
  };
  Make("  a: {op: LateAddOne, in: x}\n  b: {op: LateAddOne, in: a}\n  c: {op: Do, in: d, after: b}\n", "c");
  const RunFailure failure = Failure();
  EXPECT_EQ(failure.status.code(), OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(failure.status.subject(), "output:y");
  EXPECT_EQ(failure.step, 2u);
}

}  // namespace
}  // namespace opsrun::host
