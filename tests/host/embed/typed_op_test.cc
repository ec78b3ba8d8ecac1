// tests/host/embed/typed_op_test.cc: ops with their types, as texts, their shapes, kernel objects and gradients, for
// programs that are hosts themselves.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/host/embed/embedded.h"

namespace opsrun_test {
namespace {

TEST_F(TypedOpTest, FillsInTypesAndAttrs) {
  ASSERT_EQ(Type("ZeroOut", {Input("to_zero", OPSRUN_DT_HALF)}), "");
  const opsrun_typed_op_info& info = *opsrun_typed_op_get(typed_);
  EXPECT_EQ(Text(info.plugin), "zero_out");
  ASSERT_EQ(info.n_attrs, 2u);
  EXPECT_EQ(info.attrs[0].v.i, OPSRUN_DT_HALF);
  EXPECT_EQ(info.attrs[1].v.i, 0);
  ASSERT_EQ(info.n_out, 1u);
  EXPECT_EQ(info.out_types[0], OPSRUN_DT_HALF);
  EXPECT_EQ(Text(info.out_args[0].name), "zeroed");
  EXPECT_EQ(info.gradient, OPSRUN_GRADIENT_DECLARED);
  EXPECT_EQ(info.has_shape_function, 1u);
  ASSERT_EQ(Type("LookupTableFind", {Input("table_handle", OPSRUN_DT_RESOURCE), Input("keys", OPSRUN_DT_STRING),
                                     Input("default_value", kInt64)}),
            "");
  EXPECT_EQ(opsrun_typed_op_get(typed_)->in_types[0], OPSRUN_DT_RESOURCE);
  EXPECT_EQ(opsrun_typed_op_get(typed_)->out_types[0], OPSRUN_DT_INT64);
  EXPECT_EQ(MakeKernel("cpu"), "");
}

TEST_F(TypedOpTest, SaysHowTheOpTreatsBatches) {
  ASSERT_EQ(Type("ZeroOut", {Input("to_zero", kFloat)}), "");
  EXPECT_EQ(opsrun_typed_op_get(typed_)->in_dims, nullptr);
  ASSERT_EQ(Type("BatchMatMulV2", {Input("x", kFloat), Input("y", kFloat)}), "");
  const opsrun_typed_op_info& products = *opsrun_typed_op_get(typed_);
  EXPECT_EQ(std::vector(products.in_dims, products.in_dims + 2), (std::vector{2u, 2u}));
  EXPECT_EQ(products.out_dims[0], 2u);
  EXPECT_EQ(products.flags, OPSRUN_OP_BROADCASTS);
  const auto inputs = Input("inputs", kFloat, OPSRUN_LIST_ELEMENT);
  ASSERT_EQ(Type("AddN", {inputs, inputs, inputs}), "");
  const opsrun_typed_op_info& sum = *opsrun_typed_op_get(typed_);
  EXPECT_EQ(std::vector(sum.in_dims, sum.in_dims + 3), (std::vector{0u, 0u, 0u}));
  EXPECT_EQ(sum.out_dims[0], 0u);
  EXPECT_EQ(sum.flags & OPSRUN_OP_BROADCASTS, 0u);
}

TEST_F(TypedOpTest, RefusesWhatTheOpDoesNotTakeAndWhatHasNoKernel) {
  EXPECT_THAT(Type("ZeroOut", {Input("to_zero", OPSRUN_DT_BOOL)}), testing::StartsWith("G215"));
  EXPECT_EQ(code_, OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(typed_, nullptr);
  EXPECT_THAT(Type("ZeroOat", {}), testing::StartsWith("G201"));
  EXPECT_EQ(code_, OPSRUN_NOT_FOUND);
  EXPECT_EQ(Type("ZeroOut", {Input("to_zero", OPSRUN_DT_VARIANT)}), "F305 ");
  EXPECT_THAT(Type("Sub", {Input("x", kFloat), Input("", kFloat)}), testing::StartsWith("G107"));
  ASSERT_EQ(Type("Pad", {Input("input", OPSRUN_DT_FLOAT8_E5M2), Input("paddings", kInt32)}), "");
  EXPECT_THAT(MakeKernel("cpu"), testing::StartsWith("K301"));
  EXPECT_EQ(code_, OPSRUN_UNIMPLEMENTED);
  Type("AddN", {Input("inputs", 0, OPSRUN_LIST_EMPTY)});
  EXPECT_EQ(code_, OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(message_, "input 'inputs' has 0 tensors, but op 'AddN' requires at least 1");
  Type("AddN", {});
  EXPECT_EQ(code_, OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(message_, "input 'inputs' of op 'AddN' is missing");
}

TEST_F(TypedOpTest, IsWrittenAsAGraphFileAndReadAgain) {
  const auto values = Input("values", kFloat, OPSRUN_LIST_ELEMENT);
  ASSERT_EQ(Type("Pack", {values, values}, {Attr::Int("axis", 1)}), "");
  const std::string yaml = Written(typed_);
  EXPECT_THAT(yaml, HasSubstr("op: list_ops.Pack"));
  ASSERT_EQ(Read(yaml), "");
  const opsrun_typed_op_info& info = *opsrun_typed_op_get(typed_);
  EXPECT_EQ(info.n_in, 2u);
  EXPECT_EQ(Written(typed_), yaml);
  EXPECT_EQ(Inferred({Known({5, 7}), Known({5, 7})}), "5, 2, 7") << "with the attr";
  EXPECT_EQ(MakeKernel("cpu"), "");
  // A call of a gradient, whose graph has other nodes too.
  GradientOf("ZeroOut", {Input("to_zero", kFloat)});
  const std::string call = Written(opsrun_gradient_get(gradient_)->calls[0].op);
  EXPECT_EQ(Read(call), "") << call;
  // Handles have no type in files.
  ASSERT_EQ(Type("LookupTableSize", {Input("table_handle", OPSRUN_DT_RESOURCE)}), "");
  opsrun_text* none = nullptr;
  EXPECT_EQ(opsrun_typed_op_to_yaml(typed_, &none), OPSRUN_UNIMPLEMENTED);
  EXPECT_EQ(none, nullptr);
}

TEST_F(TypedOpTest, RefusesFilesThatAreNotTheCallOfAnOp) {
  const std::string head = "opsrun: 1\nfeeds: {x: {dtype: int32}}\n",
                    node = "nodes: {y: {op: ZeroOut, in: {to_zero: x}}}\n";
  EXPECT_EQ(Read(head + node), "");
  for (const std::string& file : {
           head + "nodes: {y: {op: ZeroOut, in: {to_zero: y}}}\n",
           head + "nodes: {y: {op: ZeroOut, in: {to_zero: x.z}}}\n",
           head + "nodes: {y: {op: ZeroOut, in: x}}\n",
           head + "nodes: {y: {op: ZeroOut, in: {to_zero: x}}, z: {op: ZeroOut, in: {to_zero: x}}}\n",
           head + "nodes: {y: {op: ZeroOut, in: {to_zero: x}, label: fast}}\n",
           head + "nodes: {y: {op: ZeroOut, in: {to_zero: x}, device: cpu}}\n",
           head + "nodes: {y: {op: ZeroOut, in: {to_zero: x}, stop_gradient: true}}\n",
           head + node + "outputs: [y]\n",
           head + node + "checks: [{from: y, value: [0, 0]}]\n",
           head + node + "requires: {zero_out: '*'}\n",
           head + node + "name: call\n",
           "opsrun: 1\nfeeds: {x: {dtype: int32}, unused: {dtype: int32}}\n" + node,
           "opsrun: 1\nfeeds: {x: {dtype: int32, shape: [2]}}\n" + node,
           "opsrun: 1\nfeeds: {x: {value: [1, 2], dtype: int32}}\n" + node,
       }) {
    EXPECT_THAT(Read(file), testing::StartsWith("G105 3:")) << file;
    EXPECT_EQ(code_, OPSRUN_INVALID_ARGUMENT);
    EXPECT_EQ(typed_, nullptr);
  }
  EXPECT_NE(Read(""), "");
  EXPECT_NE(Read("opsrun: 1\nnodes: {}\n"), "");
  EXPECT_NE(Read(head + "nodes: {y: {op: ZeroOat, in: {to_zero: x}}}\n"), "");
  EXPECT_EQ(code_, OPSRUN_NOT_FOUND);
}

TEST_F(TypedOpTest, InfersSizes) {
  ASSERT_EQ(Type("MatMul", {Input("a", kFloat), Input("b", kFloat)}), "");
  EXPECT_EQ(Inferred({Known({2, 3}), Known({3, 4})}), "2, 4");
  EXPECT_EQ(Inferred({Known({-1, -1}), Known({3, -1})}), "x0[0], x1[1]");
  EXPECT_EQ(opsrun_shapes_get(shapes_)->n_equal, 1u) << "a's columns and b's rows";
  EXPECT_EQ(Infer({Known({2, 3}), Known({4, 4})}), "G217 ");
  EXPECT_EQ(code_, OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(shapes_, nullptr);
  EXPECT_EQ(Infer({Known({2, 3})}), "G217 ");
  // Sums of unknown sizes.
  const auto values = [](uint32_t list) { return Input("values", kFloat, list); };
  ASSERT_EQ(Type("Concat", {Input("concat_dim", kInt32), values(1), values(1)}), "");
  const int32_t zero = 0;
  const View dim(&zero, {});
  const opsrun_array dim_array = dim.array();
  const opsrun_known_input axis = {Sizes({}), &dim_array, kNothing};
  EXPECT_EQ(Inferred({axis, Known({-1, 3}, {1, 0}), Known({-1, 3}, {2, 0})}), "(x2[0] + x1[0]), 3");
  EXPECT_EQ(Inferred({axis, Known({-1, 3}, {1, 0}), Known({-1, 3}, {1, 0})}), "(x1[0] + x1[0]), 3")
      << "they have one symbol";
}

TEST_F(TypedOpTest, ReadsShapesThatAreValues) {
  ASSERT_EQ(Type("Reshape", {Input("tensor", kFloat), Input("shape", kInt64)}), "");
  EXPECT_EQ(Inferred({Known({-1}), {Sizes({2}), nullptr, Sizes({-1, 4}, {7, 0})}}), "v1[0], 4");
  EXPECT_EQ(Inferred({Known({-1, 6}, {5, 0}), {Sizes({3}), nullptr, Sizes({2, -1, -2}, {0, 5, 0})}}), "2, x0[0], 3")
      << "sizes are known by their symbols";
  // The values that the function asked for.
  ASSERT_EQ(Type("Reshape", {Input("tensor", kFloat), Input("shape", kInt32)}), "");
  ASSERT_EQ(Infer({Known({4}), Known({2})}), "");
  ASSERT_EQ(opsrun_shapes_get(shapes_)->n_wanted, 1u);
  EXPECT_EQ(opsrun_shapes_get(shapes_)->wanted[0], 1u);
  const int32_t twos[] = {2, 2};
  const View value(twos, {2});
  const opsrun_array value_array = value.array();
  ASSERT_EQ(Infer({Known({4}), {Sizes({2}), &value_array, kNothing}}), "");
  EXPECT_EQ(opsrun_shapes_get(shapes_)->n_wanted, 0u);
  ASSERT_EQ(Type("Transpose", {Input("x", kFloat), Input("perm", kInt32)}), "");
  EXPECT_EQ(Inferred({Known({4, -1}), {Sizes({2}), nullptr, Sizes({1, 0})}}), "x0[1], 4");
  EXPECT_EQ(opsrun_shapes_get(shapes_)->n_wanted, 0u);
  EXPECT_EQ(Inferred({Known({4, -1}), {Sizes({2}), nullptr, Sizes({int64_t{1} << 40, 0})}}), "?, ?")
      << "no int32 is that large";
  EXPECT_EQ(Infer({Known({int64_t{1} << 40, 0}), {Sizes({3}), nullptr, Sizes({1, 0})}}), "G217 ");
  EXPECT_EQ(Infer({Known({-2, 4}), Known({2})}), "G217 ") << "no size is negative";
}

TEST_F(TypedOpTest, PassesElementsOnThatAreKnownInPart) {
  const auto values = Input("values", kInt32, 1);
  ASSERT_EQ(Type("Pack", {values, values, values}), "");
  const auto scalar = [](const opsrun_known_sizes& element) { return opsrun_known_input{Sizes({}), nullptr, element}; };
  EXPECT_EQ(Inferred({scalar(Sizes({-1})), scalar(Sizes({-3})), scalar(Sizes({INT64_MIN}))}), "3");
  EXPECT_EQ(ListText(opsrun_shapes_get(shapes_)->as_shape[0]), "v0[0], -2, ?");
  EXPECT_EQ(opsrun_shapes_get(shapes_)->n_wanted, 0u);
}

}  // namespace

namespace {

// The least that a program needs to run a kernel: a frame, and memory for outputs.
struct OwnCall : opsrun_call {
  std::vector<int32_t> memory;
  std::vector<int64_t> shape;
  std::string text;

  static int32_t Fail(const opsrun_host*, void* where, int32_t code, opsrun_str text, opsrun_str) {
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
  opsrun_host table = opsrun_engine_host_copy(engine_.get());
  EXPECT_EQ(table.size, sizeof(table));
  EXPECT_EQ(table.level, OPSRUN_LEVEL);
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
