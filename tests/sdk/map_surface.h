// tests/sdk/map_surface.h: how kernels use maps, compiled once with light maps and once with Eigen's.
//
// Defines TestMaps(), in an unnamed namespace, for the file that includes it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "tests/sdk/run_body.h"

namespace opsrun_test {
namespace {

template <typename T>
T SumOf(typename TTypes<T>::ConstFlat values) {
  T sum = 0;
  for (int64 i = 0; i < values.size(); ++i) sum += values(i);
  return sum;
}

void UseMaps(OpKernelContext* context) {
  const Tensor& input = context->input(0);
  auto flat = input.flat<float>();
  EXPECT_EQ(flat.size(), 6);
  EXPECT_EQ(SumOf<float>(flat), 21);
  auto matrix = input.matrix<float>();
  EXPECT_EQ(matrix(1, 0), 4);
  EXPECT_EQ(&matrix(1, 2), flat.data() + 5);
  EXPECT_EQ(matrix.dimension(1), 3);
  EXPECT_EQ((input.tensor<float, 2>()(0, 1)), 2);
  EXPECT_EQ((input.shaped<float, 3>({3, 1, 2})(2, 0, 1)), 6);
  EXPECT_EQ((input.flat_inner_dims<float, 3>().dimension(0)), 1);
  EXPECT_EQ((input.flat_outer_dims<float, 1>()(5)), 6);
  EXPECT_EQ(context->input(1).scalar<int64_t>()(), 42);
  EXPECT_EQ(context->input(1).scalar<long long>()(), 42);

  Tensor* output = nullptr;
  OP_REQUIRES_OK(context, context->allocate_output(0, {2, 3}, &output));
  auto out = output->template flat<float>();
  out.setZero();
  EXPECT_EQ(SumOf<float>(std::as_const(*output).flat<float>()), 0);
  out.setConstant(2);
  out = flat;
  out(0) = 10;
}

void TestMaps() {
  BodyTest t;
  t.create.In("x", OPSRUN_DT_FLOAT).In("n", OPSRUN_DT_INT64).Out("y", OPSRUN_DT_FLOAT);
  t.call.In<float>({2, 3}, {1, 2, 3, 4, 5, 6}).In<int64_t>({1, 1}, {42}).Planned(OPSRUN_DT_FLOAT, {2, 3});
  EXPECT_EQ(t.Compute(&UseMaps), "");
  EXPECT_EQ(t.call.Values<float>(0), (std::vector<float>{10, 2, 3, 4, 5, 6}));
}

}  // namespace
}  // namespace opsrun_test
