// tests/sdk/eigen_map_test.cc: maps in a file that includes Eigen after the SDK, and Eigen's devices.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/op_kernel.h"
#include "opsrun/register_types.h"
// clang-format off
#include <unsupported/Eigen/CXX11/Tensor>
#include "tests/sdk/map_surface.h"
// clang-format on

namespace opsrun_test {
namespace {

TEST(EigenMap, ServesKernels) {
  TestMaps();
}

TEST(EigenMap, TakesExpressionsOnTheHostsThreads) {
  BodyTest t;
  t.create.In("x", OPSRUN_DT_FLOAT).Out("y", OPSRUN_DT_FLOAT);
  t.call.In<float>({4}, {1, 2, 3, 4}).Planned(OPSRUN_DT_FLOAT, {4});
  t.Computes([](OpKernelContext* context) {
    Tensor* output = NewOutput(context, 0, context->input(0).shape());
    const auto& device = context->eigen_device<Eigen::ThreadPoolDevice>();
    EXPECT_EQ(&device, &context->eigen_cpu_device());
    output->flat<float>().device(device) = context->input(0).flat<float>() * 2.0f;
  });
  EXPECT_EQ(t.call.Values<float>(0), (std::vector<float>{2, 4, 6, 8}));
}

TEST(EigenMap, LeavesNoTaskUndone) {
  BodyTest t;
  const int64_t n = 1 << 20;
  t.create.In("x", OPSRUN_DT_DOUBLE).Out("y", OPSRUN_DT_DOUBLE);
  t.call.In<double>({n}, std::vector<double>(n, 1)).Planned(OPSRUN_DT_DOUBLE, {n});
  t.Computes([](OpKernelContext* context) {
    Tensor* output = NewOutput(context, 0, context->input(0).shape());
    output->flat<double>().device(context->eigen_device<Eigen::ThreadPoolDevice>()) =
        context->input(0).flat<double>().exp();
  });
  EXPECT_DOUBLE_EQ(t.call.Values<double>(0).back(), std::exp(1.0));
}

#define OPSRUN_TEST_NAME_TYPE(T) static_assert(std::is_same_v<T, Eigen::half>);
TF_CALL_half(OPSRUN_TEST_NAME_TYPE)
#undef OPSRUN_TEST_NAME_TYPE

    TEST(EigenTypes, AreElementTypes) {
  EXPECT_EQ(DataTypeToEnum<Eigen::half>::value, DT_HALF);
  EXPECT_EQ(DataTypeToEnum<Eigen::bfloat16>::value, DT_BFLOAT16);
}

TEST(EigenTypes, IncludeThoseOf8Bits) {
  static_assert(!Eigen::NumTraits<float8_e4m3fn>::RequireInitialization && Eigen::NumTraits<float8_e5m2>::IsSigned);
  Eigen::Tensor<float8_e4m3fn, 1, Eigen::RowMajor> x(4);
  x.setConstant(float8_e4m3fn(1.5));
  const Eigen::Tensor<float, 1, Eigen::RowMajor> twice = (x + x * x.constant(float8_e4m3fn(1))).cast<float>();
  EXPECT_EQ(twice(3), 3);
  const Eigen::Tensor<float8_e4m3fn, 0, Eigen::RowMajor> sum = x.sum();
  EXPECT_EQ(float(sum()), 6);
  EXPECT_EQ(float(float8_e5m2(Eigen::half(0.5f))), 0.5f);
  EXPECT_EQ(float(static_cast<Eigen::half>(float8_e5m2(0.5))), 0.5f);
}

}  // namespace
}  // namespace opsrun_test
