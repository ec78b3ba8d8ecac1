// plugins/list_ops/identity_n_op_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "list_ops_test.h"

namespace list_ops_test {
namespace {

TEST(IdentityNShape, IsEachInputs) {
  INFER_OK(ShapeInferenceTestOp("IdentityN"), "[2,?];?", "in0;in1");
}

struct IdentityNOp : ListTest {};

TEST_F(IdentityNOp, GivesEachInputAsItIs) {
  Op("IdentityN").Input<int32_t>({2}, {7, 8}).Late().Input<bool>({}, {true});
  Run();
  EXPECT_TRUE(Forwarded(0, 0));
  ExpectOutput<int32_t>(0, {2}, {7, 8});
  ExpectOutput<bool>(1, {}, {true});
}

TEST_F(IdentityNOp, TakesStrings) {
  Op("IdentityN").Input<int32_t>({2}, {7, 8}).Late().Input<std::string>({}, {"nine"});
  Run();
  ExpectOutput<int32_t>(0, {2}, {7, 8});
  ExpectOutput<std::string>(1, {}, {"nine"});
}

}  // namespace
}  // namespace list_ops_test
