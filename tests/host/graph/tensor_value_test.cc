// tests/host/graph/tensor_value_test.cc: tensors as a graph file writes them.
// SPDX-License-Identifier: Apache-2.0
#include "host/graph/tensor_value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "host/tensor/float16.h"
#include "host/yaml/value.h"
#include "host/yaml/write_yaml.h"

namespace opsrun::host {
namespace {

template <typename T>
std::string Written(DType dtype, Shape shape, const std::vector<T>& values) {
  Tensor tensor = *Tensor::Create(dtype, std::move(shape));
  if (!values.empty()) std::memcpy(tensor.mutable_data(), values.data(), tensor.num_bytes());
  Value map = MapValue();
  AddEntry(map, "k", ElementsValue(tensor));
  const std::string text = WriteYaml(map);
  return text.substr(3, text.size() - 4);
}

TEST(TensorValue, NestsLists) {
  EXPECT_EQ(Written<int32_t>(DType::kInt32, {}, {7}), "7");
  EXPECT_EQ(Written<int32_t>(DType::kInt32, {2, 2}, {1, -2, 3, 4}), "[[1, -2], [3, 4]]");
  EXPECT_EQ(Written<uint8_t>(DType::kBool, {2}, {1, 0}), "[true, false]");
  EXPECT_EQ(Written<int32_t>(DType::kInt32, {2, 0}, {}), "[[], []]");
}

TEST(TensorValue, HasTheFewestDigitsThatReadBack) {
  EXPECT_EQ(Written<double>(DType::kFloat64, {5}, {INFINITY, -INFINITY, NAN, 1e-9, 0.1234567890123}),
            "[.inf, -.inf, .nan, 1.0e-09, 0.1234567890123]");
  EXPECT_EQ(Written<float>(DType::kFloat32, {3}, {0.1f, 16777216.0f, -0.0f}), "[0.1, 16777216.0, -0.0]");
  EXPECT_EQ(Written<uint16_t>(DType::kFloat16, {3}, {HalfFromDouble(0.1), HalfFromDouble(65504), 0x7c00}),
            "[0.1, 6.55e+04, .inf]");
  EXPECT_EQ(Written<uint16_t>(DType::kBFloat16, {1}, {BFloat16FromDouble(0.1)}), "[0.1]");
}

}  // namespace
}  // namespace opsrun::host
