// tests/host/plan/constants_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/constants.h"

#include <gtest/gtest.h>

namespace opsrun::host {
namespace {

TEST(GraphConstants, KeepsTheArraysOfFiles) {
  GraphConstants constants;
  EXPECT_FALSE(constants.Find("x").has_value());
  const Result<Tensor> array = Tensor::Create(DType::kInt32, {3});
  constants.Keep("x", *array);
  EXPECT_EQ(constants.Find("x")->data(), array->data());
}

TEST(GraphConstants, AConstantIsOnADeviceOnceAsLongAsAPlanHasIt) {
  const std::unique_ptr<Device> one = OpenCpuDevice(), two = OpenCpuDevice();
  const Result<Tensor> array = Tensor::Create(DType::kInt32, {3}), other = Tensor::Create(DType::kInt32, {3});
  GraphConstants constants;
  std::shared_ptr<const ResidentConstant> resident = constants.On(*one, *array);
  EXPECT_EQ(constants.On(*one, Tensor(*array)), resident);
  EXPECT_NE(constants.On(*two, *array), resident);
  EXPECT_NE(constants.On(*one, *other), resident);
  const std::weak_ptr<const ResidentConstant> known = resident;
  resident.reset();
  EXPECT_TRUE(known.expired());
  EXPECT_NE(constants.On(*one, *array), nullptr);
}

TEST(GraphConstants, EmptyTensorsOfOtherShapesAreNotEqual) {
  const std::unique_ptr<Device> device = OpenCpuDevice();
  GraphConstants constants;
  const auto row = constants.On(*device, *Tensor::Create(DType::kInt32, {0}));
  const auto matrix = constants.On(*device, *Tensor::Create(DType::kFloat32, {0, 3}));
  EXPECT_EQ(row->constant().shape(), (Shape{0}));
  EXPECT_EQ(matrix->constant().shape(), (Shape{0, 3}));
}

}  // namespace

}  // namespace opsrun::host
