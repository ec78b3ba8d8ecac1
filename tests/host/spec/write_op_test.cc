// tests/host/spec/write_op_test.cc: an op, its strings, and the op again.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/host/spec/make_op.h"

namespace opsrun::host::spec {
namespace {

TEST(StringsOf, MakeTheSameOpAgain) {
  const OpDef op =
      MakeOp({"T: {float, int32} = DT_FLOAT", "U: numbertype", "Ts: list({int8, string}) >= 2 = [DT_INT8, DT_STRING]",
              "N: int >= 2 = 3", "mode: {'a', \"it's\", '\\000\\377\"'} = 'a'", "f: float = 1.1",
              "g: list(float) = [nan, -inf]", "s: string = 'x\\ny\\\\\\303\\251'", "b: bool = true",
              "h: shape = { dim { size: 2 } dim { size: -1 } }", "r: list(shape) = [{ unknown_rank: true }, {}]",
              "t: tensor = { dtype: DT_INT32 tensor_shape { dim { size: 2 } } int_val: [1, -2] }",
              "v: tensor = { dtype: DT_STRING tensor_shape { dim { size: 1 } } string_val: ['\"'] }",
              "c: func = { name: 'F' }", "i: list(int) = []", "w: type"},
             {"x: N * T", "y: Ts", "z: Ref(float)", "k: int64"}, {"o: U", "p: Ref(T)"});
  OpDef again;
  const std::vector<SpecError> errors = ParseOp(StringsOf(op), &again);
  ASSERT_TRUE(errors.empty()) << SpecErrorsText("Op", errors);
  EXPECT_EQ(again.inputs, op.inputs);
  EXPECT_EQ(again.outputs, op.outputs);
  for (const OpChange& change : CompareOps(op, again)) ADD_FAILURE() << change.message;
  for (const OpChange& change : CompareDefaults(op, again)) ADD_FAILURE() << change.message;
}

}  // namespace
}  // namespace opsrun::host::spec
