// host/testing/attr_text.cc: see attr_text.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/testing/attr_text.h"

#include <fmt/format.h>

#include <cmath>

#include "host/base/dtype.h"
#include "host/tensor/compare.h"
#include "host/tensor/float16.h"
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

// A decimal number, also where it is a whole one: what is written as 2.0 is no integer.
std::string FloatText(double number) {
  if (std::isnan(number)) return ".nan";
  if (std::isinf(number)) return number < 0 ? "-.inf" : ".inf";
  std::string text = fmt::format("{}", number);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

Value List(Span span) {
  Value list;
  list.kind = Value::Kind::kList;
  list.span = span;
  return list;
}

template <typename T>
T Load(const Tensor& tensor, int64_t i) {
  return static_cast<const T*>(tensor.data())[i];
}

// With all digits that tell it from its neighbors.
std::string NumberText(const Tensor& tensor, int64_t i) {
  switch (tensor.dtype()) {
    case DType::kFloat64:
      return FloatText(Load<double>(tensor, i));
    case DType::kFloat32:
      return FloatText(double{Load<float>(tensor, i)});
    case DType::kFloat16:
      return FloatText(double{HalfToFloat(Load<uint16_t>(tensor, i))});
    case DType::kBFloat16:
      return FloatText(double{BFloat16ToFloat(Load<uint16_t>(tensor, i))});
    default:
      return ElementText(tensor, i);
  }
}

// Elements from `place` on, as lists in lists from dimension `axis` on; moves `place` behind them.
Value Elements(const Tensor& tensor, size_t axis, int64_t* place, Span span) {
  if (axis == tensor.shape().size()) {
    const int64_t i = (*place)++;
    const bool text = tensor.dtype() == DType::kString;
    return text ? Scalar(std::string(tensor.string(i)), true, span) : Scalar(NumberText(tensor, i), false, span);
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
      return Scalar(FloatText(value.real), false, span);
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
