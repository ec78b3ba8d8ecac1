// tests/host/graph/tensor_value_test.cc: tensors as a graph file writes them.
// SPDX-License-Identifier: Apache-2.0
#include "host/graph/tensor_value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "host/graph/store_number.h"
#include "host/tensor/float16.h"
#include "host/tensor/print.h"
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
  EXPECT_EQ(Written<uint8_t>(DType::kFloat8E4M3FN, {4}, {0x1d, 0x7e, 0x01, 0x7f}), "[0.1, 4.5e+02, 0.002, .nan]");
  EXPECT_EQ(Written<uint8_t>(DType::kFloat8E5M2, {2}, {0x2e, 0xfc}), "[0.09, -.inf]");
}

// What a graph file says is what the tensor was, bit for bit.
TEST(TensorValue, HasATextForEveryNumberOf8Bits) {
  for (const DType dtype : {DType::kFloat8E5M2, DType::kFloat8E4M3FN, DType::kFloat8E4M3FNUZ, DType::kFloat8E4M3B11FNUZ,
                            DType::kFloat8E5M2FNUZ}) {
    Tensor tensor = *Tensor::Create(dtype, {256});
    auto* const codes = static_cast<uint8_t*>(tensor.mutable_data());
    for (int i = 0; i < 256; ++i) codes[i] = static_cast<uint8_t>(i);
    for (int i = 0; i < 256; ++i) {
      uint8_t back = 0, printed = 0;
      const Value value = ElementValue(tensor, i);
      ASSERT_TRUE(StoreNumber(value, dtype, &back).ok()) << value.text;
      if (value.text == ".nan") continue;
      EXPECT_EQ(back, i) << value.text;
      if (value.text.ends_with(".inf")) continue;
      ASSERT_TRUE(StoreNumber(PlainValue(ElementText(tensor, i)), dtype, &printed).ok());
      EXPECT_EQ(printed, i) << ElementText(tensor, i);
    }
  }
}

}  // namespace
}  // namespace opsrun::host
