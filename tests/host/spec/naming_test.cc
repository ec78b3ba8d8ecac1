// SPDX-License-Identifier: Apache-2.0
#include "host/spec/naming.h"

#include <gtest/gtest.h>

#include "tests/host/spec/make_op.h"

namespace opsrun::host::spec {
namespace {

std::string Signature(Specs attrs, Specs inputs, Specs outputs = {}) {
  return PythonSignature(MakeOp(std::move(attrs), std::move(inputs), std::move(outputs)));
}

TEST(SnakeCase, BeginsAWordWhereSmallLettersEndOrBegin) {
  for (const auto& [name, snake_case] :
       {std::pair("MatMul", "mat_mul"), std::pair("TFRecordReader", "tf_record_reader"), std::pair("IsNaN", "is_na_n"),
        std::pair("MaxPool3DGrad", "max_pool3d_grad"), std::pair("Foo_Bar", "foo__bar"), std::pair("_Foo", "__foo"),
        std::pair("A>BC", "a_bc")})
    EXPECT_EQ(SnakeCase(name), snake_case);
}

TEST(SetterName, RaisesLettersAndKeepsOffTheNamesOfTheWrapper) {
  EXPECT_EQ(SetterName("use_bias_2"), "UseBias2");
  EXPECT_EQ(SetterName("Tidx"), "Tidx");
  EXPECT_EQ(SetterName("attrs"), "Attrs_");
  EXPECT_EQ(SetterName("pad", "Pad"), "Pad_");
}

TEST(PythonSignature, LeavesOutWhatInputsDetermineAndPutsAttrsWithoutADefaultFirst) {
  EXPECT_EQ(Signature({"T: type", "N: int", "U: type", "L: list(type)"}, {"x: N * T", "l: L"}, {"y: U"}),
            "op(x, l, U, name=None)");
  EXPECT_EQ(Signature({"a: int = 1", "b: int"}, {"x: float"}), "op(x, b, a=1, name=None)");
  EXPECT_EQ(Signature({"lambda: int"}, {"in: float", "input: float"}), "op(in_, input, lambda_, name=None)");
}

TEST(PythonSignature, WritesDefaultsAsPythonDoes) {
  EXPECT_EQ(Signature({"a: float = 1e-6", "b: float = -inf", "c: bool = false", "d: list(bool) = []"}, {}),
            "op(a=1e-06, b=float('-inf'), c=False, d=[], name=None)");
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
