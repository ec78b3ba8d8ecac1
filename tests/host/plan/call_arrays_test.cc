// tests/host/plan/call_arrays_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/call_arrays.h"

#include <gtest/gtest.h>

#include "host/spec/parse_op.h"
#include "tests/host/plan/plan_table.h"

namespace opsrun::host {
namespace {

std::vector<int64_t> StridesOf(const Shape& shape) {
  TensorView view(PlanTable());
  view.Set(*Tensor::Create(DType::kInt32, shape));
  return {view.get()->strides, view.get()->strides + view.get()->rank};
}

TEST(TensorView, IsDenseAndRowMajor) {
  using Strides = std::vector<int64_t>;
  EXPECT_EQ(StridesOf({2, 3, 4}), (Strides{12, 4, 1}));
  EXPECT_EQ(StridesOf({2, 0, 3}), (Strides{3, 3, 1})) << "no stride is 0, also where there are no elements";
}

TEST(CallArrays, SayWhereArgumentsLieAndWhetherARankIsKnown) {
  spec::OpDef op;
  ASSERT_TRUE(spec::ParseOp({.name = "A", .attrs = {"s: shape"}}, &op).empty());
  spec::AttrValue any_shape;
  any_shape.type = {OPSRUN_ATTR_SHAPE, false};
  any_shape.shapes = {{false, {}}};
  spec::Signature signature;
  signature.attrs = {any_shape};
  signature.in_args = {{"x", 0, 1, false}, {"l", 1, 2, true}};
  signature.out_args = {{"y", 0, 1, false}, {"z", 1, 1, false}};
  const CallArrays arrays(op, signature, {"x", "z"}, PlanTable());
  EXPECT_EQ(arrays.in_args()[0].flags, OPSRUN_ARG_HOST_MEMORY);
  EXPECT_EQ(arrays.in_args()[1].flags, OPSRUN_ARG_LIST);
  EXPECT_EQ(arrays.in_args()[1].first, 1u);
  EXPECT_EQ(arrays.in_args()[1].count, 2u);
  EXPECT_EQ(arrays.out_args()[0].flags, 0u);
  EXPECT_EQ(arrays.out_args()[1].flags, OPSRUN_ARG_HOST_MEMORY);
  EXPECT_EQ(arrays.attrs()[0].v.shapes[0].rank, -1);
}

}  // namespace
}  // namespace opsrun::host
