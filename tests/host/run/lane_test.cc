// tests/host/run/lane_test.cc: what a run does with memory, whatever kernels do; views and blocks of outputs whose
// shape only the run knows.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

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

TEST_F(LaneTest, AnOutputOfTheShapeOfAnInputSharesItsSizesUnlessThatIsAFeed) {
  std::vector<bool> shares;
  to_do = [&](opsrun_call* call) -> int32_t {
    shares.push_back(call->in[0]->shape == call->out[0]->shape && call->in[0]->strides == call->out[0]->strides);
    for (int64_t i = 0; i < Count(call->in[0]); ++i) Ints(call->out[0])[i] = Ints(call->in[0])[i] + 1;
    return OPSRUN_OK;
  };
  Make("  a: {op: Do, in: x}\n  b: {op: Do, in: a}\n", "b");
  EXPECT_EQ(Output(), (Row{3, 4, 5}));
  EXPECT_EQ(shares, (std::vector<bool>{false, true}));
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

// A tensor of the shape that the input spells.
int32_t Spell(void*, opsrun_call* call) {
  Shape shape(Ints(call->in[0]), Ints(call->in[0]) + Count(call->in[0]));
  shape.reserve(1);  // so that there is an array, also for no sizes
  opsrun_tensor* out = nullptr;
  return call->host->allocate_output(call, 0, static_cast<int32_t>(shape.size()), shape.data(), &out);
}
// The same through a temporary, which becomes the output.
int32_t SpellThroughTemp(void*, opsrun_call* call) {
  const Shape shape(Ints(call->in[0]), Ints(call->in[0]) + Count(call->in[0]));
  return SetToTemporary(call, static_cast<int32_t>(shape.size()), shape.data(), [](const opsrun_tensor&) {});
}
// What its input's view says: rank, sizes, strides; -1 in front if an array is there or missing that must not be.
int32_t Describe(void*, opsrun_call* call) {
  const opsrun_tensor& in = *call->in[0];
  Row said;
  if ((in.shape == nullptr) != (in.rank == 0) || (in.strides == nullptr) != (in.rank == 0)) said.push_back(-1);
  said.push_back(in.rank);
  for (int32_t i = 0; i < in.rank; ++i) said.push_back(static_cast<int32_t>(in.shape[i]));
  for (int32_t i = 0; i < in.rank; ++i) said.push_back(static_cast<int32_t>(in.strides[i]));
  return Put(call, 0, said);
}

class LateOutputsTest : public RunTest {
 protected:
  LateOutputsTest() {
    Add("Spell", nullptr, Spell);
    Add("Temp", nullptr, SpellThroughTemp);
    Add("Describe", nullptr, Describe);
  }
};

// One after the other in the same views: nothing of a shape before is left. No stride is 0.
TEST_F(LateOutputsTest, AViewTellsRankSizesAndStrides) {
  const std::vector<std::pair<Row, Row>> shapes = {
      {{}, {0}},
      {{5}, {1, 5, 1}},
      {{2, 3}, {2, 2, 3, 3, 1}},
      {{2, 3, 4}, {3, 2, 3, 4, 12, 4, 1}},
      {{1, 7}, {2, 1, 7, 7, 1}},
      {{}, {0}},
      {{2, 1, 3, 1}, {4, 2, 1, 3, 1, 3, 3, 1, 1}},
      {{0}, {1, 0, 1}},
      {{3, 0}, {2, 3, 0, 1, 1}},
      {{0, 3}, {2, 0, 3, 3, 1}},
      {{2, 0, 3}, {3, 2, 0, 3, 3, 3, 1}},
      {{4}, {1, 4, 1}},
  };
  for (const std::string op : {"Spell", "Temp"}) {
    Make("  a: {op: " + op + ", in: d}\n  b: {op: Describe, in: a}\n", "b");
    for (const auto& [shape, said] : shapes) EXPECT_EQ(Output(shape), said) << op;
  }
}

// The block holds the tensor, whatever the size of an element; all of it is written.
TEST_F(LateOutputsTest, ABlockHoldsElementsOfAnyType) {
  const std::string dtypes[] = {"bool", "uint8", "int16", "half", "int32", "float", "int64", "double", "complex128"};
  for (const std::string& dtype : dtypes)
    ops_.Add({.name = "Fill_" + dtype, .inputs = {"x: int32"}, .outputs = {"y: " + dtype}}, nullptr, DoIt);
  to_do = [](opsrun_call* call) -> int32_t {
    const int64_t n = Ints(call->in[0])[0];
    opsrun_tensor* out = nullptr;
    if (int32_t code = call->host->allocate_output(call, 0, 1, &n, &out)) return code;
    std::memset(out->data, 1, static_cast<size_t>(n) * out->dl.bits / 8);
    return OPSRUN_OK;
  };
  for (const std::string& dtype : dtypes) {
    Make("  a: {op: Fill_" + dtype + ", in: d}\n", "a");
    const size_t before = lane_->MemoryBytes();
    for (const int32_t elements : {1, 15, 16, 17, 64, 100}) {
      EXPECT_FALSE(Run({elements}).has_value());
      const Result<Tensor> tensor = lane_->Output(0);
      ASSERT_TRUE(tensor.ok());
      EXPECT_EQ(tensor->num_elements(), elements);
      EXPECT_GE(lane_->MemoryBytes() - before, tensor->num_bytes()) << dtype << " " << elements;
      const auto* bytes = static_cast<const unsigned char*>(tensor->data());
      EXPECT_EQ(std::count(bytes, bytes + tensor->num_bytes(), 1), static_cast<int64_t>(tensor->num_bytes()));
    }
  }
}

// What was made in the run before is not there in this one. What is too large for memory is refused and takes no block.
TEST_F(LateOutputsTest, AnOutputThatIsForgottenLaterIsMissed) {
  int runs = 0;
  int64_t n = 3;
  to_do = [&](opsrun_call* call) -> int32_t {
    opsrun_tensor* out = nullptr;
    return runs++ == 0 ? call->host->allocate_output(call, 0, 1, &n, &out) : OPSRUN_OK;
  };
  Make("  a: {op: LateDo, in: d}\n  b: {op: Describe, in: a}\n", "b");
  EXPECT_EQ(Ending(), "none");
  const RunFailure failure = Failure();
  EXPECT_EQ(failure.status.code(), OPSRUN_INTERNAL);
  EXPECT_EQ(failure.status.subject(), "output:y");
  EXPECT_EQ(failure.step, 0u);
  runs = 0;
  EXPECT_EQ(Ending(), "none");
  n = int64_t{1} << 46;
  Make("  a: {op: LateDo, in: d}\n", "a");
  const size_t used = device_->used();
  runs = 0;
  EXPECT_EQ(Ending(), "RESOURCE_EXHAUSTED output:y");
  EXPECT_EQ(device_->used(), used);
  EXPECT_EQ(Ending(), "INTERNAL output:y");
}

// Blocks are powers of two, 64 bytes the smallest; one is taken again if it is large enough and of its class.
TEST_F(LateOutputsTest, ABlockIsThePowerOfTwoThatHoldsTheTensor) {
  const std::vector<std::pair<int32_t, size_t>> blocks = {{0, 64},   {1, 64},   {16, 64},    {17, 128},  {32, 128},
                                                          {33, 256}, {64, 256}, {256, 1024}, {257, 2048}};
  for (const auto& [elements, bytes] : blocks) {
    Make("  a: {op: Spell, in: d}\n", "a");
    const size_t before = lane_->MemoryBytes();
    for (int run = 0; run < 3; ++run) {
      EXPECT_FALSE(Run({elements}).has_value());
      EXPECT_EQ(lane_->MemoryBytes() - before, bytes) << elements << " elements";
    }
  }
}

TEST_F(LateOutputsTest, BlocksOfAllClassesAreKeptAndTakenAgain) {
  Make("  a: {op: Spell, in: d}\n", "a");
  const size_t before = lane_->MemoryBytes();
  for (int round = 0; round < 3; ++round) {
    for (const int32_t elements : {1, 17, 33, 300, 2})
      EXPECT_EQ(Output({elements}).size(), static_cast<size_t>(elements));
  }
  EXPECT_EQ(lane_->MemoryBytes() - before, size_t{64 + 128 + 256 + 2048});
}

}  // namespace
}  // namespace opsrun::host
