// SPDX-License-Identifier: Apache-2.0
#include "host/spec/naming.h"

#include <gtest/gtest.h>

#include "tests/host/spec/make_op.h"

namespace opsrun::host::spec {
namespace {

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
