// tests/host/show/yaml_text_test.cc: values as a graph file writes them.
// SPDX-License-Identifier: Apache-2.0
#include "host/show/yaml_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace opsrun::host {
namespace {

template <typename T>
Tensor Make(DType dtype, Shape shape, const std::vector<T>& values) {
  Tensor tensor = *Tensor::Create(dtype, std::move(shape));
  if (!values.empty()) std::memcpy(tensor.mutable_data(), values.data(), tensor.num_bytes());
  return tensor;
}

TEST(YamlString, IsAlwaysQuoted) {
  EXPECT_EQ(YamlString("no"), R"("no")");
  EXPECT_EQ(YamlString("a\t\"b\"\x01"), R"("a\t\"b\"\u0001")");
  EXPECT_EQ(YamlString("\xff"), "\"\xEF\xBF\xBD\"");
}

TEST(YamlName, IsQuotedWhereItWouldBeSomethingElse) {
  EXPECT_EQ(YamlName("x-1"), "x-1");
  EXPECT_EQ(YamlName("no"), R"("no")");
  EXPECT_EQ(YamlName("True"), R"("True")");
  EXPECT_EQ(YamlName("null"), R"("null")");
}

TEST(YamlTensor, NestsLists) {
  EXPECT_EQ(YamlTensor(Make<int32_t>(DType::kInt32, {}, {7})), "7");
  EXPECT_EQ(YamlTensor(Make<int32_t>(DType::kInt32, {2, 2}, {1, -2, 3, 4})), "[[1, -2], [3, 4]]");
  EXPECT_EQ(YamlTensor(Make<uint8_t>(DType::kBool, {2}, {1, 0})), "[true, false]");
  EXPECT_EQ(YamlTensor(Make<int32_t>(DType::kInt32, {2, 0}, {})), "[[], []]");
}

TEST(YamlTensor, WritesEveryNumberSoThatItReadsBack) {
  EXPECT_EQ(YamlTensor(Make<double>(DType::kFloat64, {4}, {INFINITY, -INFINITY, NAN, 1e-9})),
            "[.inf, -.inf, .nan, 1.0e-09]");
  EXPECT_EQ(YamlTensor(Make<float>(DType::kFloat32, {2}, {0.1f, 16777216.0f})), "[0.1, 16777216.0]");
}

TEST(YamlAttr, IsWhatAnAttrOfAGraphTakes) {
  EXPECT_EQ(YamlAttr(spec::AttrValue::Int(-3)), "-3");
  EXPECT_EQ(YamlAttr(spec::AttrValue::Bool(true)), "true");
  EXPECT_EQ(YamlAttr(spec::AttrValue::Float(INFINITY)), ".inf");
  EXPECT_EQ(YamlAttr(spec::AttrValue::String("it's")), R"("it's")");
  EXPECT_EQ(YamlAttr(spec::AttrValue::TypeList({DType::kFloat32, DType::kInt8})), "[float32, int8]");
}

TEST(YamlAttr, HasNoWordsForAShapeOfUnknownRank) {
  spec::AttrValue shape;
  shape.type = {OPSRUN_ATTR_SHAPE, false};
  shape.shapes = {{true, {2, -1}}};
  EXPECT_EQ(YamlAttr(shape), "[2, -1]");
  shape.shapes = {{false, {}}};
  EXPECT_EQ(YamlAttr(shape), std::nullopt);
}

TEST(YamlAttr, OfATensorSaysItsType) {
  spec::AttrValue tensor;
  tensor.type = {OPSRUN_ATTR_TENSOR, false};
  const int32_t values[] = {1, 2};
  tensor.tensors = {{DType::kInt32, {2}, std::string(reinterpret_cast<const char*>(values), sizeof values), {}}};
  EXPECT_EQ(YamlAttr(tensor), "{value: [1, 2], dtype: int32}");
  tensor.tensors = {{DType::kInt32, {2, 0}, "", {}}};
  EXPECT_EQ(YamlAttr(tensor), "{value: [[], []], dtype: int32}");
  tensor.tensors = {{DType::kInt32, {0, 2}, "", {}}};
  EXPECT_EQ(YamlAttr(tensor), std::nullopt);
}

}  // namespace
}  // namespace opsrun::host
