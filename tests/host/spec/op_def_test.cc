// tests/host/spec/op_def_test.cc: ops as values and texts, and their names in other languages.
// SPDX-License-Identifier: Apache-2.0
#include "host/spec/op_def.h"

#include <cmath>

#include "host/spec/naming.h"
#include "tests/host/spec/make_op.h"

namespace opsrun::host::spec {
namespace {

TEST(OpDef, FindsAttrsByName) {
  OpDef op = MakeOp({"T: type", "N: int"}, {}, {});
  EXPECT_EQ(op.FindAttr("N"), &op.attrs[1]);
  EXPECT_EQ(op.FindAttr("n"), nullptr);
}

TEST(SignatureText, ShowsArgumentsSetsAndDefaults) {
  const OpDef op = MakeOp({"N: int", "T: type", "TL: list(type)"}, {"a: N * T", "b: TL", "c: Ref(double)"}, {});
  EXPECT_EQ(SignatureText(op), "Op(a: N * T, b: TL, c: Ref(float64)) -> (); N: int >= 1, T: type, TL: list(type) >= 1");
  const OpDef sets = MakeOp({"m: {'a', 'b'} = 'b'", "T: numerictype", "l: list({int8, half}) = [DT_HALF]"}, {}, {});
  EXPECT_EQ(SignatureText(sets),
            "Op() -> (); m: {'a', 'b'} = 'b', T: numbertype, l: list({int8, float16}) = [float16]");
}

TEST(AttrTypeName, IsTheLanguagesWord) {
  EXPECT_EQ(AttrTypeName({OPSRUN_ATTR_INT, false}), "int");
  EXPECT_EQ(AttrTypeName({OPSRUN_ATTR_TYPE, true}), "list(type)");
  EXPECT_EQ(AttrTypeName({99, false}), "kind 99");
}

TEST(AttrValue, IsEqualToOneOfTheSameTypeAndElements) {
  EXPECT_EQ(AttrValue::Int(3).size(), 1u);
  EXPECT_EQ(AttrValue::TypeList({DType::kFloat32, DType::kInt32}).size(), 2u);
  EXPECT_EQ(AttrValue().size(), 0u);
  EXPECT_EQ(AttrValue::Int(1), AttrValue::Int(1));
  EXPECT_NE(AttrValue::Int(1), AttrValue::Bool(true));
  EXPECT_NE(AttrValue::Type(DType::kFloat32), AttrValue::TypeList({DType::kFloat32}));
}

TEST(AttrValueText, IsWhatAGraphFileHolds) {
  EXPECT_EQ(AttrValueText(AttrValue::Int(-3)), "-3");
  EXPECT_EQ(AttrValueText(AttrValue::Bool(false)), "false");
  EXPECT_EQ(AttrValueText(AttrValue::Type(DType::kFloat32)), "float32");
  EXPECT_EQ(AttrValueText(AttrValue::TypeList({DType::kBool, DType::kFloat16})), "[bool, float16]");
  EXPECT_EQ(AttrValueText(AttrValue::TypeList({})), "[]");
  for (const auto& [number, text] : {std::pair(double{0.1f}, "0.1"), std::pair(0.1, "0.1"), std::pair(1e300, "1e+300"),
                                     std::pair(-HUGE_VAL, "-.inf"), std::pair(std::nan(""), ".nan")})
    EXPECT_EQ(AttrValueText(AttrValue::Float(number)), text);
  EXPECT_EQ(AttrValueText(AttrValue::String("a b\\c")), "'a b\\c'");
  EXPECT_EQ(AttrValueText(AttrValue::String("it's")), "\"it's\"");
  EXPECT_EQ(AttrValueText(AttrValue::String("a\n\t\"\x1B")), "\"a\\n\\t\\\"\\x1b\"");
  AttrValue value;
  value.type = {OPSRUN_ATTR_SHAPE, true};
  value.shapes = {{true, {2, -1}}, {true, {}}, {}};
  EXPECT_EQ(AttrValueText(value), "[[2, -1], [], ?]");
}

template <typename T>
TensorValue Of(DType dtype, std::vector<int64_t> shape, const std::vector<T>& values) {
  const std::string bytes(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  return {dtype, std::move(shape), bytes, {}};
}

std::string TensorText(TensorValue tensor) {
  return AttrValueText({.type = {OPSRUN_ATTR_TENSOR, false}, .tensors = {std::move(tensor)}});
}

TEST(AttrValueText, ShowsTensorsThatAreShort) {
  EXPECT_EQ(TensorText(Of<int32_t>(DType::kInt32, {}, {-5})), "int32 -5");
  EXPECT_EQ(TensorText(Of<float>(DType::kFloat32, {2}, {1, 2.5})), "float32 [1, 2.5]");
  EXPECT_EQ(TensorText(Of<int64_t>(DType::kInt64, {9}, std::vector<int64_t>(9))), "int64 of shape [9]");
  EXPECT_EQ(TensorText(Of<int64_t>(DType::kInt64, {1, 1}, {1})), "int64 of shape [1, 1]");
  EXPECT_EQ(TensorText(Of<int64_t>(DType::kInt64, {0}, {})), "int64 of shape [0]");
  EXPECT_EQ(TensorText({DType::kString, {}, "", {"x"}}), "string of shape []");
}

std::string Signature(Specs attrs, Specs inputs, Specs outputs = {}) {
  return PythonSignature(MakeOp(std::move(attrs), std::move(inputs), std::move(outputs)));
}

TEST(SetterName, RaisesLettersAndKeepsOffTheNamesOfTheWrapper) {
  EXPECT_EQ(SetterName("use_bias_2"), "UseBias2");
  EXPECT_EQ(SetterName("Tidx"), "Tidx");
  EXPECT_EQ(SetterName("attrs"), "Attrs_");
  EXPECT_EQ(SetterName("pad", "Pad"), "Pad_");
}

TEST(PythonSignature, WritesDefaultsAsPythonDoes) {
  EXPECT_EQ(
      Signature({R"(s: string = "it's\n\001")", "t: type = DT_HALF", "u: list(type) = [DT_FLOAT, DT_DOUBLE]"}, {}),
      R"(op(s="it\'s\n\001", t=half, u=[float32, float64], name=None))");
  EXPECT_EQ(Signature({"s: shape = { dim { size: 2 } dim { size: -1 } }", "u: shape = { unknown_rank: true }",
                       "f: func = { name: 'F' }", "t: tensor = { dtype: DT_INT32 }"},
                      {}),
            R"(op(s=[2, -1], u=None, f="F", t=..., name=None))");
}

}  // namespace
}  // namespace opsrun::host::spec
