// tests/host/run/fuse_test.cc: nodes that the kernel of another one computes: which ones, and what comes out.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>

#include "tests/host/run/run_test.h"

namespace opsrun::host {
namespace {

// What the plugin does when it is asked, and what it has been asked: "Lead Minus.0 Twice.0", a node and which input is
// the output of the one before it.
std::function<int32_t(uint32_t, const opsrun_fused_node*, uint32_t*)> fuse;
std::vector<std::string> offered;

int32_t Fuse(uint32_t n, const opsrun_fused_node* nodes, uint32_t* fused) {
  std::string text;
  for (uint32_t i = 0; i < n; ++i)
    text +=
        (i == 0 ? "" : " ") + std::string(nodes[i].op.data, nodes[i].op.size) + "." + std::to_string(nodes[i].chained);
  offered.push_back(text);
  return fuse(n, nodes, fused);
}
const void* Query(opsrun_str id) {
  static constexpr opsrun_fuse kFuse = {sizeof(opsrun_fuse), 0, Fuse};
  return std::string(id.data, id.size) == OPSRUN_FUSE_1 ? &kFuse : nullptr;
}

// Takes the nodes of Minus from which the chain is subtracted from nothing. A kernel object counts its nodes.
int32_t TakeMinus(uint32_t n, const opsrun_fused_node* nodes, uint32_t* fused) {
  while (*fused < n && std::string(nodes[*fused].op.data, nodes[*fused].op.size) == "Minus" &&
         nodes[*fused].chained == 0)
    ++*fused;
  *static_cast<uint32_t*>(nodes[0].kernel) = *fused;
  return OPSRUN_OK;
}

int live_kernels = 0;
int32_t CreateOne(void*, opsrun_create*, void** kernel) {
  ++live_kernels;
  *kernel = new uint32_t(1);
  return OPSRUN_OK;
}
void DestroyOne(void* kernel) {
  --live_kernels;
  delete static_cast<uint32_t*>(kernel);
}

// x - 3 y, where y has the shape of x or is one row of it.
void Subtract(const opsrun_tensor* y, opsrun_tensor* out) {
  const int64_t n = out->shape[0] * out->shape[1], of_y = y->rank == 1 ? y->shape[0] : n;
  for (int64_t i = 0; i < n; ++i) Ints(out)[i] -= 3 * Ints(y)[i % of_y];
}
int32_t Subtracts(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  if (int32_t code = AllocateLikeInput(call, &out)) return code;
  std::copy_n(Ints(call->in[0]), out->shape[0] * out->shape[1], Ints(out));
  Subtract(call->in[1], out);
  return OPSRUN_OK;
}
// Of each element, the sum with the next one in its row; and what it computes, too.
int32_t Lead(void* kernel, opsrun_call* call) {
  EXPECT_EQ(call->n_in, *static_cast<uint32_t*>(kernel));
  opsrun_tensor* out = nullptr;
  if (int32_t code = AllocateLikeInput(call, &out)) return code;
  const int64_t columns = out->shape[1];
  for (int64_t i = 0; i < out->shape[0] * columns; ++i)
    Ints(out)[i] = Ints(call->in[0])[i] + Ints(call->in[0])[i / columns * columns + (i + 1) % columns];
  for (uint32_t i = 1; i < call->n_in; ++i) Subtract(call->in[i], out);
  return OPSRUN_OK;
}

class FuseTest : public RunTest {
 protected:
  FuseTest() {
    fuse = TakeMinus;
    offered.clear();
    ops_.OfferInterfaces(Query);
    Kernel({.name = "Lead", .inputs = {"x: int32"}, .outputs = {"y: int32"}}, Lead,
           OPSRUN_KERNEL_TILED | OPSRUN_KERNEL_FUSES);
    ops_.LastKernel().aliases = {{"y", "x", OPSRUN_ALIAS_ROWS}};
    Kernel({.name = "Minus",
            .inputs = {"x: int32", "y: int32"},
            .outputs = {"z: int32"},
            .batch = "(),()->()",
            .flags = OPSRUN_OP_BROADCASTS},
           Subtracts, OPSRUN_KERNEL_TILED | OPSRUN_KERNEL_ELEMENTWISE);
    Kernel({.name = "Whole", .inputs = {"x: int32", "y: int32"}, .outputs = {"z: int32"}}, Subtracts, 0);
  }
  ~FuseTest() override {
    lane_.reset();
    ops_.Forget();
    EXPECT_EQ(live_kernels, 0);
  }

  void Kernel(const spec::OpStrings& strings, ComputeFn compute, uint32_t flags) {
    ops_.Add(strings, SameShape, compute, CreateOne);
    ops_.LastKernel().destroy = DestroyOne;
    ops_.LastKernel().flags = flags;
  }

  // The steps of the plan, "a+b c": which nodes each of them computes; its outputs are those of a plan of single nodes.
  std::string Steps(const std::string& nodes, const std::string& outputs, int threads = 1) {
    const std::vector<Row> expected = Outputs(nodes, outputs, threads, true),
                           found = Outputs(nodes, outputs, threads, false);
    EXPECT_EQ(found, expected) << nodes;
    std::string text;
    for (const Step& step : plan_->steps) {
      text += (text.empty() ? "" : " ") + plan_->NodeOf(step).name.value;
      for (const Step& more : step.more->fused) text += "+" + plan_->NodeOf(more).name.value;
    }
    return text;
  }
  std::vector<Row> Outputs(const std::string& nodes, const std::string& outputs, int threads, bool whole) {
    ops_.whole_steps = whole;
    MakeFrom(
        "feeds:\n  d: {dtype: int32, shape: [30, 4]}\n  e: {fill: 7, dtype: int32, shape: [30, 4]}\n"
        "  row: {value: [1, 2, 3, 4], dtype: int32}\n  column: {fill: 2, dtype: int32, shape: [30, 1]}\nnodes:\n" +
            nodes + "outputs: [" + outputs + "]\n",
        threads);
    Row numbers(120);
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int32_t>(i * i % 1001);
    EXPECT_TRUE(lane_->SetFeed("d", *Tensor::CopyOf(DType::kInt32, {30, 4}, numbers.data())).ok());
    std::vector<Row> rows;
    for (int run = 0; run < 2; ++run) {
      EXPECT_FALSE(lane_->Run().has_value());
      for (size_t i = 0; i < plan_->outputs.size(); ++i) rows.push_back(ValuesOf(lane_->Output(i)));
    }
    return rows;
  }
};

constexpr char kFusable[] =
    "  a: {op: Lead, in: d}\n  b: {op: Minus, in: [a, e]}\n  c: {op: Minus, in: [b, row]}\n"
    "  z: {op: Minus, in: [d, c]}\n";

TEST_F(FuseTest, AKernelComputesTheNodesAfterIt) {
  EXPECT_EQ(Steps(kFusable, "z"), "a+b+c z");
  EXPECT_EQ(offered, std::vector<std::string>{"Lead.0 Minus.0 Minus.0 Minus.1"});
  EXPECT_EQ(Steps("  a: {op: Lead, in: d}\n  b: {op: Lead, in: a}\n  c: {op: Minus, in: [b, a]}\n", "c"), "a b+c");
}

TEST_F(FuseTest, MessagesNameTheLastNode) {
  Steps(kFusable, "z");
  EXPECT_EQ(plan_->Facts(plan_->steps[0], PluginPhase::kCompute).last_node, "c");
  EXPECT_EQ(plan_->Facts(plan_->steps[1], PluginPhase::kCompute).last_node, "");
  RunFailure failure;
  failure.status = {OPSRUN_INTERNAL, "it failed", ""};
  EXPECT_EQ(DescribeFailure(*plan_, failure).notes[1], "it computes all nodes up to 'c'");
}

TEST_F(FuseTest, TheStepIsWhereAllItsInputsHaveBeenMade) {
  EXPECT_EQ(Steps("  a: {op: Lead, in: d}\n  o: {op: Lead, in: e}\n  b: {op: Minus, in: [a, o]}\n", "b"), "o a+b");
}

TEST_F(FuseTest, WhatSomebodySeesStays) {
  EXPECT_EQ(Steps(kFusable, "z, a"), "a b c z") << "an output";
  EXPECT_EQ(Steps("  a: {op: Lead, in: d}\n  b: {op: Minus, in: [a, e]}\n  c: {op: Minus, in: [b, a]}\n", "c"), "a b c")
      << "read twice";
  EXPECT_EQ(Steps("  a: {op: Lead, in: d}\n  b: {op: Minus, in: [a, a]}\n", "b"), "a b") << "read twice by one";
  EXPECT_EQ(Steps("  a: {op: Lead, in: d}\n  b: {op: Minus, in: [a, e]}\n  c: {op: Lead, in: e, after: a}\n", "b, c"),
            "a b c")
      << "the graph has an order";
  EXPECT_EQ(offered.size(), 0u);
}

TEST_F(FuseTest, OtherNodesAreNotOffered) {
  EXPECT_EQ(Steps("  a: {op: Lead, in: d}\n  b: {op: Whole, in: [a, e]}\n", "b"), "a b") << "not for rows";
  EXPECT_EQ(Steps("  a: {op: Lead, in: d}\n  b: {op: AddOne, in: a}\n", "b"), "a b");
  EXPECT_EQ(offered.size(), 0u);
  fuse = [](uint32_t, const opsrun_fused_node* nodes, uint32_t* fused) {
    *fused = 1;
    EXPECT_EQ(nodes[1].n_in, 2u);
    EXPECT_EQ(nodes[1].in[1].rank, 1);
    EXPECT_EQ(nodes[1].in[1].dims[0], 4);
    return int32_t{OPSRUN_OK};
  };
  EXPECT_EQ(Steps("  a: {op: Lead, in: d}\n  b: {op: Minus, in: [a, row]}\n", "b"), "a b") << "the plugin says no";
}

TEST_F(FuseTest, APluginThatFailsChangesNothing) {
  fuse = [](uint32_t, const opsrun_fused_node*, uint32_t* fused) {
    *fused = 2;
    return int32_t{OPSRUN_INTERNAL};
  };
  EXPECT_EQ(Steps(kFusable, "z"), "a b c z");
  fuse = [](uint32_t, const opsrun_fused_node*, uint32_t*) -> int32_t { throw std::runtime_error("no"); };
  EXPECT_EQ(Steps(kFusable, "z"), "a b c z");
  fuse = [](uint32_t, const opsrun_fused_node*, uint32_t* fused) {
    *fused = 0;
    return int32_t{OPSRUN_OK};
  };
  EXPECT_EQ(Steps(kFusable, "z"), "a b c z");
}

// The inputs of b and c that have rows are taken row by row, and the others whole.
TEST_F(FuseTest, AStepOfSeveralNodesTakesExamplesToo) {
  const std::string nodes =
      "  a: {op: Lead, in: d}\n  b: {op: Minus, in: [a, e]}\n  c: {op: Minus, in: [b, row]}\n"
      "  f: {op: Lead, in: c}\n  g: {op: Minus, in: [f, d]}\n";
  EXPECT_EQ(Steps(nodes, "g", 3), "a+b+c f+g");
  ASSERT_EQ(plan_->sweeps.size(), 1u);
  EXPECT_EQ(plan_->sweeps[0].count, 2u);
}

}  // namespace
}  // namespace opsrun::host
