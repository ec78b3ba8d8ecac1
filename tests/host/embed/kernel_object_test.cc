// tests/host/embed/kernel_object_test.cc: kernel objects and gradients for programs that are hosts themselves.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/host/embed/typed_op.h"

namespace opsrun_test {
namespace {

// The least that a program needs to run a kernel: a frame, and memory for outputs.
struct OwnCall : opsrun_call {
  std::vector<int32_t> memory;
  std::vector<int64_t> shape;
  std::string text;

  static int32_t Fail(void* where, int32_t code, opsrun_str text, opsrun_str) {
    static_cast<OwnCall*>(static_cast<opsrun_call*>(where))->text = Text(text);
    return code;
  }
  static int32_t AllocateOutput(opsrun_call* call, uint32_t i, int32_t rank, const int64_t* dims,
                                opsrun_tensor** view) {
    auto& own = *static_cast<OwnCall*>(call);
    own.shape.assign(dims, dims + rank);
    own.memory.resize(static_cast<size_t>(dims[0]));
    *view = call->out[i];
    (*view)->data = own.memory.data();
    (*view)->rank = rank;
    (*view)->shape = own.shape.data();
    return OPSRUN_OK;
  }
};

TEST_F(TypedOpTest, MakesAKernelThatRunsInFramesOfTheProgram) {
  ASSERT_EQ(Type("ZeroOut", {Input("to_zero", kInt32)}, {Attr::Int("preserve_index", 1)}), "");
  ASSERT_EQ(MakeKernel("cpu"), "");
  const opsrun_kernel_object_info& info = *opsrun_kernel_object_get(kernel_);
  EXPECT_EQ(Text(info.device), "cpu");
  opsrun_host table = *opsrun_engine_host(engine_.get());
  table.fail = OwnCall::Fail;
  table.allocate_output = OwnCall::AllocateOutput;
  int32_t numbers[] = {5, 6, 7};
  int64_t sizes[] = {3}, strides[] = {1};
  const opsrun_device cpu = {OPSRUN_DEVICE_CPU, 0};
  const opsrun_tensor x = {numbers, cpu, 1, {0, 32, 1}, sizes, strides, 0, &table, OPSRUN_TENSOR_HOST, OPSRUN_DT_INT32};
  const opsrun_tensor none = {nullptr, cpu, -1,     {0, 32, 1},         nullptr,
                              nullptr, 0,   &table, OPSRUN_TENSOR_HOST, OPSRUN_DT_INT32};
  opsrun_tensor y = none;
  const opsrun_tensor* in[] = {&x};
  opsrun_tensor* out[] = {&y};
  OwnCall call{};
  call.size = sizeof(opsrun_call);
  call.kind = OPSRUN_KIND_CALL;
  call.in = in;
  call.out = out;
  call.n_in = call.n_out = 1;
  call.host = &table;
  call.device = cpu;
  EXPECT_EQ(info.compute(info.object, &call), OPSRUN_OK);
  EXPECT_THAT(call.memory, ElementsAre(0, 6, 0));
  y = none;
  sizes[0] = 1;
  EXPECT_EQ(info.compute(info.object, &call), OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(call.text, "preserve_index is 1, but to_zero has only 1 elements");
}

TEST_F(TypedOpTest, SharesObjectsOfTheEngine) {
  ASSERT_EQ(Type("ZeroOut", {Input("to_zero", kInt32)}), "");
  ASSERT_EQ(MakeKernel("cpu"), "");
  int made = 7;
  const auto make = [](void* ctx, void** object) -> int32_t {
    *object = ctx;
    return OPSRUN_OK;
  };
  const opsrun_str none = {nullptr, 0}, name = Str("counter");
  const opsrun_resource *first = nullptr, *second = nullptr;
  ASSERT_EQ(opsrun_kernel_object_resource(kernel_, none, name, none, make, &made, nullptr, &first), OPSRUN_OK);
  ASSERT_EQ(opsrun_kernel_object_resource(kernel_, none, name, none, nullptr, nullptr, nullptr, &second), OPSRUN_OK);
  EXPECT_EQ(first, second);
  EXPECT_EQ(first->obj, &made);
  first->host->resource_release(first);
  first->host->resource_release(first);
  EXPECT_EQ(opsrun_kernel_object_resource_delete(kernel_, none, name, none), OPSRUN_OK);
  EXPECT_EQ(opsrun_kernel_object_resource_delete(kernel_, none, name, none), OPSRUN_NOT_FOUND);
}

TEST_F(TypedOpTest, MakesAKernelOfAnOpThatRefusesUnknownShapesOrHasNoGradient) {
  engine_.AddPlugin(OPSRUN_GRADIENT_OPS);
  ASSERT_EQ(Type("TestKnownRank", {Input("x", kFloat)}), "");
  EXPECT_EQ(MakeKernel("cpu"), "");
  EXPECT_THAT(Differentiate(), testing::StartsWith("G217"));
  ASSERT_EQ(Differentiate({Sizes({-1, 3})}), "");
  EXPECT_EQ(opsrun_gradient_get(gradient_)->n_calls, 1u);
  ASSERT_EQ(Type("TestUndeclared", {Input("x", kFloat)}), "");
  EXPECT_EQ(opsrun_typed_op_get(typed_)->gradient, OPSRUN_GRADIENT_NONE);
  EXPECT_THAT(Differentiate(), HasSubstr("G301"));
  EXPECT_EQ(code_, OPSRUN_INVALID_ARGUMENT);
}

TEST_F(TypedOpTest, GivesItsGradientAsCalls) {
  const opsrun_gradient_info& info =
      GradientOf("ZeroOut", {Input("to_zero", kFloat)}, {Attr::Int("preserve_index", 2)});
  ASSERT_EQ(info.n_calls, 1u);
  EXPECT_EQ(CallName(0), "ZeroOut");
  EXPECT_EQ(info.calls[0].inputs[0].kind, OPSRUN_OPERAND_GRADIENT);
  EXPECT_EQ(opsrun_typed_op_get(info.calls[0].op)->attrs[1].v.i, 2);
  ASSERT_EQ(info.n_inputs, 1u);
  EXPECT_EQ(info.of_inputs[0].kind, OPSRUN_OPERAND_CALL);
  const opsrun_gradient_info& pad = GradientOf("Pad", {Input("input", kFloat), Input("paddings", kInt32)});
  EXPECT_EQ(pad.n_constants, 3u);
  EXPECT_EQ(pad.of_inputs[1].kind, OPSRUN_OPERAND_NONE);  // integers
  EXPECT_EQ(CallName(pad.n_calls - 1), "Slice");
  EXPECT_EQ(pad.calls[pad.n_calls - 1].inputs[0].kind, OPSRUN_OPERAND_GRADIENT);
  const opsrun_gradient_info& cast = GradientOf("Cast", {Input("x", kFloat)}, {Attr::Type("DstT", kInt32)});
  EXPECT_EQ(cast.of_inputs[0].kind, OPSRUN_OPERAND_NONE) << "nothing flows back";
  EXPECT_EQ(cast.n_calls, 0u);
}

TEST_F(TypedOpTest, LeavesOutSumsOfAGradientThatKnownShapesMakeNeedless) {
  // not in declared order
  const uint32_t calls = GradientOf("Mul", {Input("y", kFloat), Input("x", kFloat)}).n_calls;
  ASSERT_EQ(Differentiate({Sizes({2, 3}), Sizes({2, 3})}), "");
  const opsrun_gradient_info& info = *opsrun_gradient_get(gradient_);
  EXPECT_LT(info.n_calls, calls);
  ASSERT_EQ(info.n_calls, 2u);
  ASSERT_EQ(info.calls[0].outputs[0].rank, 2);
  EXPECT_EQ(info.calls[0].outputs[0].shape[1], 3);
  // The gradient of x, the first input in declared order, reads y.
  const opsrun_operand* const of_x = info.calls[info.of_inputs[0].index].inputs;
  EXPECT_TRUE(std::any_of(of_x, of_x + 2, [](const opsrun_operand& operand) {
    return operand.kind == OPSRUN_OPERAND_INPUT && operand.index == 1;
  }));
}

TEST_F(TypedOpTest, GivesAGradientAsSlices) {
  const opsrun_gradient_info& info =
      GradientOf("GatherV2", {Input("params", kFloat), Input("indices", kInt64), Input("axis", kInt32)},
                 {Attr::Int("batch_dims", 1)});
  EXPECT_EQ(info.of_inputs[0].kind, OPSRUN_OPERAND_CALL);
  const opsrun_slices& slices = info.slices[0];
  EXPECT_EQ(slices.values.kind, OPSRUN_OPERAND_GRADIENT);
  EXPECT_EQ(slices.indices.kind, OPSRUN_OPERAND_INPUT);
  EXPECT_EQ(slices.indices.index, 1u);
  EXPECT_EQ(slices.axis.index, 2u);
  EXPECT_EQ(slices.batch_dims, 1);
  EXPECT_EQ(slices.vectors, 0u);
  EXPECT_EQ(info.slices[1].values.kind, OPSRUN_OPERAND_NONE);
  EXPECT_EQ(GradientOf("GatherNd", {Input("params", kFloat), Input("indices", kInt64)}).slices[0].vectors, 1u);
}

}  // namespace
}  // namespace opsrun_test
