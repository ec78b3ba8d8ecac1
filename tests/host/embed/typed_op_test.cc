// tests/host/embed/typed_op_test.cc: ops with their types, as texts, and their shapes.
// SPDX-License-Identifier: Apache-2.0
#include "tests/host/embed/typed_op.h"

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
}  // namespace opsrun_test
