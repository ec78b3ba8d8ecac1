// SPDX-License-Identifier: Apache-2.0
#include "host/spec/op_def.h"

#include <gtest/gtest.h>

#include "tests/host/spec/make_op.h"

namespace opsrun::host::spec {
namespace {

TEST(OpDef, FindsAttrsByName) {
  OpDef op = MakeOp({"T: type", "N: int"}, {}, {});
  EXPECT_EQ(op.FindAttr("N"), &op.attrs[1]);
  EXPECT_EQ(op.FindAttr("n"), nullptr);
}

TEST(SignatureText, ShowsArgumentsAsDeclared) {
  OpDef op = MakeOp({"N: int", "T: type", "TL: list(type)"}, {"a: N * T", "b: TL", "c: Ref(double)"}, {});
  EXPECT_EQ(SignatureText(op), "Op(a: N * T, b: TL, c: Ref(float64)) -> (); N: int >= 1, T: type, TL: list(type) >= 1");
}

TEST(SignatureText, ShowsSetsAndDefaults) {
  OpDef op = MakeOp({"m: {'a', 'b'} = 'b'", "T: numerictype", "l: list({int8, half}) = [DT_HALF]"}, {}, {});
  EXPECT_EQ(SignatureText(op), "Op() -> (); m: {'a', 'b'} = 'b', T: numbertype, l: list({int8, float16}) = [float16]");
}

}  // namespace
}  // namespace opsrun::host::spec
