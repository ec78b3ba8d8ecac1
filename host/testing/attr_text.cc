// host/testing/attr_text.cc: see attr_text.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/testing/attr_text.h"

#include <fmt/format.h>

#include "host/base/dtype.h"
#include "host/tensor/exact_text.h"
#include "host/testing/array_tensor.h"

namespace opsrun::host {
namespace {

Value Scalar(std::string text, bool quoted, Span span) {
  Value value;
  value.kind = Value::Kind::kScalar;
  value.text = std::move(text);
  value.quoted = quoted;
  value.span = span;
  return value;
}

Value List(Span span) {
  Value list;
  list.kind = Value::Kind::kList;
  list.span = span;
  return list;
}

// Elements from `place` on, as lists in lists from dimension `axis` on; moves `place` behind them.
Value Elements(const Tensor& tensor, size_t axis, int64_t* place, Span span) {
  if (axis == tensor.shape().size()) {
    const int64_t i = (*place)++;
    const bool text = tensor.dtype() == DType::kString;
    return text ? Scalar(std::string(tensor.string(i)), true, span) : Scalar(ExactText(tensor, i), false, span);
  }
  Value list = List(span);
  for (int64_t i = 0; i < tensor.shape()[axis]; ++i) list.items.push_back(Elements(tensor, axis + 1, place, span));
  return list;
}

// {value: [[1, 2]], dtype: int32}. An array that is none is left to whoever reads it: an empty map.
Value TensorText(const test::Array& array, Span span) {
  Value map;
  map.kind = Value::Kind::kMap;
  map.span = span;
  const Result<Tensor> tensor = ToTensor(array);
  if (!tensor.ok()) return map;
  int64_t place = 0;
  map.entries.push_back({"value", span, Elements(*tensor, 0, &place, span)});
  map.entries.push_back({"dtype", span, Scalar(DTypeName(tensor->dtype()), false, span)});
  return map;
}

}  // namespace

Value ToValue(const test::AttrValue& value, Span span) {
  using Kind = test::AttrValue::Kind;
  switch (value.kind) {
    case Kind::kInt:
      return Scalar(std::to_string(value.number), false, span);
    case Kind::kFloat:
      return Scalar(ExactText(value.real), false, span);
    case Kind::kBool:
      return Scalar(value.number != 0 ? "true" : "false", false, span);
    case Kind::kString:
      return Scalar(value.text, true, span);
    case Kind::kTensor:
      return TensorText(*value.tensor, span);
    default: {
      Value list = List(span);
      for (const test::AttrValue& item : value.items) list.items.push_back(ToValue(item, span));
      return list;
    }
  }
}

}  // namespace opsrun::host

namespace opsrun::test {

std::string TypeName(int32_t dtype) {
  return host::DTypeName(host::DTypeFromNumber(dtype));
}

}  // namespace opsrun::test
