// tests/host/plan/attr_yaml_test.cc: attrs as a graph file writes them.
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/attr_yaml.h"

#include <gtest/gtest.h>

#include <cmath>

#include "host/yaml/value.h"
#include "host/yaml/write_yaml.h"

namespace opsrun::host {
namespace {

// "none" if there are no words for it.
std::string Written(const spec::AttrValue& attr) {
  const std::optional<Value> value = AttrYaml(attr);
  if (!value) return "none";
  Value attrs = MapValue(), node = MapValue(), nodes = MapValue();
  AddEntry(attrs, "a", *value);
  AddEntry(node, "n", attrs);
  AddEntry(nodes, "m", node);
  const std::string text = WriteYaml(nodes);  // "m:\n  n: {a: 3}\n"
  return text.substr(12, text.size() - 14);
}

TEST(AttrYaml, IsWhatAnAttrOfAGraphTakes) {
  EXPECT_EQ(Written(spec::AttrValue::Int(-3)), "-3");
  EXPECT_EQ(Written(spec::AttrValue::Bool(true)), "true");
  EXPECT_EQ(Written(spec::AttrValue::Float(INFINITY)), ".inf");
  EXPECT_EQ(Written(spec::AttrValue::Float(0.1f)), "0.1");
  EXPECT_EQ(Written(spec::AttrValue::Float(0.1)), "0.1");
  EXPECT_EQ(Written(spec::AttrValue::String("it's")), "it's");
  EXPECT_EQ(Written(spec::AttrValue::TypeList({DType::kFloat32, DType::kInt8})), "[float32, int8]");
}

TEST(AttrYaml, HasNoWordsForAShapeOfUnknownRank) {
  spec::AttrValue shape;
  shape.type = {OPSRUN_ATTR_SHAPE, false};
  shape.shapes = {{true, {2, -1}}};
  EXPECT_EQ(Written(shape), "[2, -1]");
  shape.shapes = {{false, {}}};
  EXPECT_EQ(Written(shape), "none");
}

TEST(AttrYaml, OfATensorSaysItsType) {
  spec::AttrValue tensor;
  tensor.type = {OPSRUN_ATTR_TENSOR, false};
  const int32_t values[] = {1, 2};
  tensor.tensors = {{DType::kInt32, {2}, std::string(reinterpret_cast<const char*>(values), sizeof values), {}}};
  EXPECT_EQ(Written(tensor), "{value: [1, 2], dtype: int32}");
  tensor.tensors = {{DType::kInt32, {2, 0}, "", {}}};
  EXPECT_EQ(Written(tensor), "{value: [[], []], dtype: int32}");
  tensor.tensors = {{DType::kInt32, {0, 2}, "", {}}};
  EXPECT_EQ(Written(tensor), "{fill: 0, shape: [0, 2], dtype: int32}");
}

}  // namespace
}  // namespace opsrun::host
