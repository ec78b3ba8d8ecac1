// opsrun/testing/attr_value.h: the value of an attr, written as in a graph file.
//
//   "REFLECT", 3, 0.5, true, {1, 2, 3}, "int32" or TypeOf<float>() for a type, Shape{2, -1} for a shape, an Array for a
//   tensor; a list of them in braces
//
// The host checks the value against the spec of the op, with the same messages as for a graph file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "opsrun/testing/array.h"

namespace opsrun::test {

class AttrValue {
 public:
  enum class Kind { kInt, kFloat, kBool, kString, kTensor, kList };

  AttrValue(bool value) : kind(Kind::kBool), number(value) {}
  AttrValue(double value) : kind(Kind::kFloat), real(value) {}
  AttrValue(const char* value) : kind(Kind::kString), text(value) {}
  AttrValue(std::string value) : kind(Kind::kString), text(std::move(value)) {}
  AttrValue(Array value) : kind(Kind::kTensor), tensor(std::make_shared<const Array>(std::move(value))) {}
  template <typename Int, std::enable_if_t<std::is_integral_v<Int> && !std::is_same_v<Int, bool>, int> = 0>
  AttrValue(Int value) : kind(Kind::kInt), number(static_cast<int64_t>(value)) {}
  AttrValue(std::initializer_list<AttrValue> values) : kind(Kind::kList), items(values) {}
  template <typename T>
  AttrValue(const std::vector<T>& values) : kind(Kind::kList), items(values.begin(), values.end()) {}

  Kind kind;
  int64_t number = 0;
  double real = 0;
  std::string text;
  std::shared_ptr<const Array> tensor;
  std::vector<AttrValue> items;
};

// The name of a data type in a graph: "float32".
std::string TypeName(int32_t dtype);
template <typename T>
std::string TypeOf() {
  return TypeName(kDType<T>);
}

}  // namespace opsrun::test
