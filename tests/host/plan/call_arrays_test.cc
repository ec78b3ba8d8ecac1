// tests/host/plan/call_arrays_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/call_arrays.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace opsrun::host
