// tests/host/graph/tensor_value_test.cc: tensors as a graph file writes them.
// SPDX-License-Identifier: Apache-2.0
#include "host/graph/tensor_value.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "host/graph/read_number.h"
#include "host/tensor/decimal.h"
#include "host/tensor/number_type.h"
#include "host/tensor/print.h"
#include "host/yaml/read_yaml.h"
#include "host/yaml/write_yaml.h"

namespace opsrun::host {
namespace {

template <typename T>
std::string Written(DType dtype, Shape shape, const std::vector<T>& values) {
  Value map = MapValue();
  AddEntry(map, "k", ElementsValue(*Tensor::CopyOf(dtype, std::move(shape), values.data())));
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

// The numbers of the tensor are those of its text, where all NaNs are one.
void ExpectReadsBack(const Tensor& tensor) {
  Value map = MapValue();
  AddEntry(map, "t", WholeTensorValue(tensor));
  const std::string text = WriteYaml(map);
  Diagnostics diagnostics;
  const std::optional<Value> root = ReadYaml({"g.yaml", text}, diagnostics);
  ASSERT_TRUE(root) << text;
  const Value& value = root->entries[0].value;
  Reporter reporter({"g.yaml", text}, diagnostics);
  const std::optional<Tensor> read =
      ReadTensorValue(*value.Find("value"), DTypeFromName(value.Find("dtype")->text), reporter);
  ASSERT_TRUE(read) << diagnostics.all()[0].message;
  ASSERT_EQ(read->shape(), tensor.shape());
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    const size_t size = DTypeSize(tensor.dtype());
    const char *from = static_cast<const char*>(tensor.data()) + i * size,
               *to = static_cast<const char*>(read->data()) + i * size;
    const std::string word = ElementText(tensor, i);
    if (word.find("nan") != std::string::npos) {
      EXPECT_EQ(ElementText(*read, i), word);
    } else {
      EXPECT_EQ(std::memcmp(from, to, size), 0) << DTypeName(tensor.dtype()) << " " << word;
    }
  }
}

TEST(TensorValue, ReadsBackWhateverItHolds) {
  std::mt19937_64 random(5);
  for (const std::string& name : FeedableDTypeNames()) {
    const DType dtype = *DTypeFromName(name);
    if (dtype == DType::kString) continue;
    Tensor tensor = *Tensor::Create(dtype, {2, 500});
    auto* const bytes = static_cast<unsigned char*>(tensor.mutable_data());
    for (size_t i = 0; i < tensor.num_bytes(); ++i) bytes[i] = static_cast<unsigned char>(random());
    std::memset(bytes, 0, 16), std::memset(bytes + 16, 0xff, 16);
    if (dtype == DType::kBool) std::for_each(bytes, bytes + tensor.num_bytes(), [](unsigned char& b) { b &= 1; });
    ExpectReadsBack(tensor);
  }
}

// With the negative ones.
template <typename T>
std::vector<T> OfBothSigns(std::vector<T> numbers) {
  for (size_t i = 0, n = numbers.size(); i < n; ++i) numbers.push_back(-numbers[i]);
  return numbers;
}

TEST(TensorValue, ReadsBackTheEdgesOfFloats) {
  using Double = std::numeric_limits<double>;
  using Float = std::numeric_limits<float>;
  const auto doubles = OfBothSigns<double>(
      {0.0, Double::infinity(), Double::min(), Double::denorm_min(), Double::max(), 1.0 + 0x1p-24, 0.1});
  const auto floats = OfBothSigns<float>({0.0f, Float::infinity(), Float::min(), Float::denorm_min(), Float::max(),
                                          0.1f, std::bit_cast<float>(0x15ae43fdu)});
  ExpectReadsBack(*Tensor::CopyOf(DType::kFloat64, {14}, doubles.data()));
  ExpectReadsBack(*Tensor::CopyOf(DType::kComplex128, {7}, doubles.data()));
  ExpectReadsBack(*Tensor::CopyOf(DType::kFloat32, {14}, floats.data()));
  ExpectReadsBack(*Tensor::CopyOf(DType::kComplex64, {7}, floats.data()));
}

TEST(TensorValue, ReadsBackStringsOfAnyBytes) {
  Tensor tensor = *Tensor::Create(DType::kString, {256});
  for (int i = 0; i < 256; ++i)
    ASSERT_TRUE(tensor.SetString(i, std::string("a") + static_cast<char>(i) + "'\"\n:").ok());
  Value map = MapValue();
  AddEntry(map, "t", ElementsValue(tensor));
  const std::string text = WriteYaml(map);
  Diagnostics diagnostics;
  const std::optional<Value> root = ReadYaml({"g.yaml", text}, diagnostics);
  Reporter reporter({"g.yaml", text}, diagnostics);
  const std::optional<Tensor> read = ReadTensorValue(root->entries[0].value, std::nullopt, reporter);
  ASSERT_TRUE(read);
  for (int i = 0; i < 256; ++i) EXPECT_EQ(read->string(i), tensor.string(i));
}

// An attr is a double that kernels read as a float: its text must not be rounded to another one.
TEST(ExactText, IsReadAsTheSameFloatAsTheNumber) {
  std::mt19937 random(3);
  for (int i = 0; i < 20000; ++i) {
    const float low = std::bit_cast<float>(static_cast<uint32_t>(random()) % 0x7f7fffff);
    const float high = std::nextafter(low, INFINITY);
    const double middle = (double{low} + double{high}) / 2;
    for (const double number : {middle, std::nextafter(middle, 0.0), std::nextafter(middle, INFINITY), double{low}}) {
      const std::string text = ExactText(number);
      EXPECT_EQ(ReadFloat<double>(text)->number, number) << text;
      EXPECT_EQ(ReadFloat<float>(text)->number, static_cast<float>(number)) << text;
    }
    EXPECT_EQ(static_cast<float>(ReadFloat<double>(ExactText(low))->number), low);
  }
}

}  // namespace
}  // namespace opsrun::host
