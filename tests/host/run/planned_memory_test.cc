// tests/host/run/planned_memory_test.cc: workspaces, outputs over inputs, and outputs that are not read.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <numeric>

#include "tests/host/run/run_test.h"

namespace opsrun::host {
namespace {

class PlannedMemoryTest : public RunTest {};

// Makes the outputs that are used: the sum of the input, and its positive elements.
int32_t MakeUsed(void*, opsrun_call* call) {
  const Row x = RowOf(call->in[0]);
  if (call->host->output_is_used(call, 0) != 0) {
    if (const int32_t code = Put(call, 0, {std::accumulate(x.begin(), x.end(), 0)})) return code;
  }
  if (call->host->output_is_used(call, 1) == 0) return OPSRUN_OK;
  Row positive;
  std::copy_if(x.begin(), x.end(), std::back_inserter(positive), [](int32_t each) { return each > 0; });
  return Put(call, 1, positive);
}

TEST_F(PlannedMemoryTest, AnOutputThatNobodyReadsNeedNotBeMadeByAKernelThatAsks) {
  const std::vector<std::string> outputs = {"sum: int32", "positive: int32"};
  ops_.Add({.name = "Parts", .inputs = {"x: int32"}, .outputs = outputs}, nullptr, MakeUsed);
  ops_.Add({.name = "ForgetsParts", .inputs = {"x: int32"}, .outputs = outputs}, nullptr,
           [](void*, opsrun_call* call) { return Put(call, 0, RowOf(call->in[0])); });
  Make("  p: {op: Parts, in: d}\n", "p.sum");
  EXPECT_EQ(Output({1, -2, 3}), (Row{2}));
  EXPECT_EQ(Output({4}), (Row{4})) << "in each run";
  Make("  p: {op: Parts, in: d}\n", "p.positive");
  EXPECT_EQ(Output({1, -2, 3}), (Row{1, 3}));
  Make("  p: {op: Parts, in: d}\n  more: {op: LateAddOne, in: p.positive}\n", "p.sum, more");
  EXPECT_EQ(Output({1, -2, 3}), (Row{2})) << "another node reads it";
  EXPECT_EQ(ValuesOf(lane_->Output(1)), (Row{2, 4}));
  Make("  p: {op: ForgetsParts, in: d}\n", "p.sum");
  EXPECT_EQ(Ending(), "INTERNAL output:positive");
}

// Adds 1 by way of the workspace, which it fills from end to end.
int32_t AddOneByWorkspace(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  const int32_t code = AllocateLikeInput(call, &out);
  if (code != OPSRUN_OK) return code;
  const Row x = RowOf(call->in[0]);
  EXPECT_EQ(call->workspace_bytes, x.size() * sizeof(int32_t));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(call->workspace) % 64, 0u);
  auto* const space = static_cast<int32_t*>(call->workspace);
  std::fill_n(space, x.size(), -1);
  EXPECT_EQ(RowOf(call->in[0]), x) << "the workspace is not over an input";
  for (size_t i = 0; i < x.size(); ++i) static_cast<int32_t*>(out->data)[i] = x[i] + 1;
  const Row y = RowOf(out);
  std::fill_n(space, x.size(), -2);
  EXPECT_EQ(RowOf(out), y) << "nor over an output";
  return OPSRUN_OK;
}

int32_t BytesOfInput(void*, uint32_t n_in, const opsrun_partial* in, uint64_t* bytes) {
  EXPECT_EQ(n_in, 1u);
  *bytes = sizeof(int32_t) * static_cast<uint64_t>(in[0].dims[0]);
  return OPSRUN_OK;
}

TEST_F(PlannedMemoryTest, AWorkspaceIsPlannedMemoryOfItsOwn) {
  Add("Spacious", SameShape, AddOneByWorkspace);
  ops_.LastKernel().workspace = BytesOfInput;
  for (const int threads : {1, 2}) {
    Make(
        "  a: {op: Spacious, in: x}\n  b: {op: Spacious, in: a}\n  c: {op: Spacious, in: x}\n"
        "  d2: {op: Spacious, in: c}\n",
        "b, d2", threads);
    EXPECT_EQ(Output(), (Row{3, 4, 5}));
    EXPECT_EQ(ValuesOf(lane_->Output(1)), (Row{3, 4, 5}));
    EXPECT_GT(plan_->devices[0].arena_bytes, 0u);
  }
}

TEST_F(PlannedMemoryTest, AWorkspaceThatCannotBePlannedIsNull) {
  static int asked = 0;
  const auto is_null = [](void*, opsrun_call* call) {
    EXPECT_EQ(call->workspace, nullptr);
    EXPECT_EQ(call->workspace_bytes, 0u);
    return AddOne(nullptr, call);
  };
  Add("Unsure", SameShape, is_null);
  ops_.LastKernel().workspace = [](void*, uint32_t, const opsrun_partial*, uint64_t* bytes) -> int32_t {
    ++asked;
    *bytes = 64;
    return OPSRUN_UNAVAILABLE;
  };
  Add("Greedy", SameShape, is_null);
  ops_.LastKernel().workspace = [](void*, uint32_t, const opsrun_partial*, uint64_t* bytes) {
    *bytes = UINT64_MAX;
    return OPSRUN_OK;
  };
  Make("  a: {op: Unsure, in: x}\n  b: {op: Greedy, in: a}\n", "b");
  EXPECT_EQ(Output(), (Row{3, 4, 5}));
  EXPECT_EQ(asked, 1);
  Make("  a: {op: Unsure, in: d}\n", "a");  // of any length
  EXPECT_EQ(Output({7}), (Row{8}));
  EXPECT_EQ(asked, 1) << "not asked about an unknown shape";
}

TEST_F(PlannedMemoryTest, AnElementwiseKernelMayWriteOverAnInputThatEnds) {
  static const void *read = nullptr, *written = nullptr;
  Add("Watched", SameShape, [](void*, opsrun_call* call) {
    const int32_t code = AddOne(nullptr, call);
    read = call->in[0]->data;
    written = call->out[0]->data;
    return code;
  });
  ops_.LastKernel().flags = OPSRUN_KERNEL_ELEMENTWISE;
  Make("  a: {op: AddOne, in: x}\n  b: {op: Watched, in: a}\n  c: {op: AddOne, in: b}\n", "c");
  EXPECT_EQ(Output(), (Row{4, 5, 6}));
  EXPECT_EQ(read, written);
  Make("  a: {op: AddOne, in: x}\n  b: {op: Watched, in: a}\n", "a, b");
  EXPECT_EQ(Output(), (Row{2, 3, 4})) << "a result is not written over";
  EXPECT_NE(read, written);
}

}  // namespace
}  // namespace opsrun::host
