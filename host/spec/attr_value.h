// host/spec/attr_value.h: the kinds of attrs, and their values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/base/dtype.h"

namespace opsrun::host::spec {

// A shape as an attr's value: rank unknown, or sizes of which -1 is unknown.
struct PartialShape {
  bool rank_known = false;
  std::vector<int64_t> dims;
  bool operator==(const PartialShape&) const = default;
};

// A tensor as an attr's value: dense row-major bytes of dtype and shape. Elements of a string tensor are in `strings`
// instead.
struct TensorValue {
  DType dtype = DType::kInvalid;
  std::vector<int64_t> shape;
  std::string bytes;
  std::vector<std::string> strings;
  bool operator==(const TensorValue&) const = default;
};

// The type of an attr. kind is OPSRUN_ATTR_* of c_api.h without the list bit.
struct AttrType {
  uint32_t kind = 0;
  bool list = false;
  bool operator==(const AttrType&) const = default;
};

// "int", "list(type)" ...
std::string AttrTypeName(AttrType type);

// A value of an attr. A scalar is a list of one in the member of its kind: ints for int, bool and type; floats; strings
// for string and func; shapes; tensors.
struct AttrValue {
  AttrType type;
  std::vector<int64_t> ints;
  std::vector<double> floats;
  std::vector<std::string> strings;
  std::vector<PartialShape> shapes;
  std::vector<TensorValue> tensors;
  bool operator==(const AttrValue&) const = default;

  size_t size() const;               // elements, in the member of its kind
  std::vector<DType> Types() const;  // of a type or a list of types

  static AttrValue Int(int64_t value);
  static AttrValue Float(double value);
  static AttrValue Bool(bool value);
  static AttrValue String(std::string value);
  static AttrValue Type(DType value);
  static AttrValue TypeList(const std::vector<DType>& values);
};

// As in a graph file: 3, [1, 2], 'text', float32, [2, -1].
std::string AttrValueText(const AttrValue& value);

}  // namespace opsrun::host::spec
