// plugins/list_ops/identity_n_op_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "list_ops_test.h"

namespace list_ops_test {
namespace {

struct IdentityNOp : OpFixture {
  IdentityNOp() : OpFixture("IdentityN", "input", "output") {}
};

TEST_F(IdentityNOp, GivesEachInputAsItIs) {
  FakeCall call(host_);
  call.In<int32_t>({2}, {7, 8}).InStrings({}, {"nine"}).Forwardable(0).Out(OPSRUN_DT_INT32).Out(OPSRUN_DT_STRING);
  EXPECT_EQ(Run(call, OPSRUN_DT_INT32), "ok");
  EXPECT_EQ(call.Output(0)->data, call.Input(0)->data);
  EXPECT_EQ(call.Values<int32_t>(0), (std::vector<int32_t>{7, 8}));
  EXPECT_EQ(call.Strings(1), std::vector<std::string>{"nine"});
}

TEST_F(IdentityNOp, KeepsEachShape) {
  FakeShapeCall call(host_, "[2,?];?", 2);
  EXPECT_EQ(Infer(call, 2, 2), "in0;in1");
}

}  // namespace
}  // namespace list_ops_test
