// host/plan/attr_yaml.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/attr_yaml.h"

#include <algorithm>
#include <cstring>

#include "host/graph/tensor_value.h"
#include "host/tensor/exact_text.h"
#include "host/yaml/value.h"

namespace opsrun::host {
namespace {

std::optional<Value> TensorYaml(const spec::TensorValue& value) {
  Result<Tensor> tensor = Tensor::Create(value.dtype, value.shape);
  if (!tensor.ok()) return std::nullopt;
  for (size_t i = 0; i < value.strings.size(); ++i) {
    if (!tensor->SetString(static_cast<int64_t>(i), value.strings[i]).ok()) return std::nullopt;
  }
  if (!value.bytes.empty()) {
    std::memcpy(tensor->mutable_data(), value.bytes.data(), std::min(value.bytes.size(), tensor->num_bytes()));
  }
  return WholeTensorValue(*tensor);
}

// Most are written as float32, and of those the fewest digits are enough.
Value FloatYaml(double value) {
  const float narrow = static_cast<float>(value);
  return PlainValue(double{narrow} == value ? ExactText(narrow) : ExactText(value));
}

std::optional<Value> ElementYaml(const spec::AttrValue& value, size_t i) {
  switch (value.type.kind) {
    case OPSRUN_ATTR_INT:
      return PlainValue(std::to_string(value.ints[i]));
    case OPSRUN_ATTR_BOOL:
      return PlainValue(value.ints[i] != 0 ? "true" : "false");
    case OPSRUN_ATTR_FLOAT:
      return FloatYaml(value.floats[i]);
    case OPSRUN_ATTR_TYPE:
      return StringValue(DTypeName(DTypeFromNumber(value.ints[i])));
    case OPSRUN_ATTR_SHAPE: {
      const spec::PartialShape& shape = value.shapes[i];
      return shape.rank_known ? std::optional(SizesValue(shape.dims.data(), shape.dims.size())) : std::nullopt;
    }
    case OPSRUN_ATTR_TENSOR:
      return TensorYaml(value.tensors[i]);
    default:
      return StringValue(value.strings[i]);
  }
}

}  // namespace

std::optional<Value> AttrYaml(const spec::AttrValue& value) {
  if (!value.type.list) return ElementYaml(value, 0);
  Value list = ListValue();
  for (size_t i = 0; i < value.size(); ++i) {
    std::optional<Value> element = ElementYaml(value, i);
    if (!element) return std::nullopt;
    list.items.push_back(*std::move(element));
  }
  return list;
}

}  // namespace opsrun::host
