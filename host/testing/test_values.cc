// host/testing/test_values.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/testing/test_values.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "host/base/display_text.h"
#include "host/graph/tensor_value.h"
#include "host/plan/attr_yaml.h"
#include "host/tensor/number_type.h"

namespace opsrun::host {
namespace {

// The number of elements in the array; -1 if its size in bytes is not a multiple of the element size.
int64_t CountOf(const test::Array& array) {
  if (array.dtype == OPSRUN_DT_STRING) return static_cast<int64_t>(array.strings.size());
  const size_t size = DTypeSize(DTypeFromNumber(array.dtype));
  return array.bytes.size() % size == 0 ? static_cast<int64_t>(array.bytes.size() / size) : -1;
}

// {value: [[1, 2]], dtype: int32}. For an invalid array an empty map, which the reader of the map reports.
Value TensorText(const test::Array& array, Span span) {
  Value map = MapValue(span);
  const Result<Tensor> tensor = ToTensor(array);
  if (!tensor.ok()) return map;
  AddEntry(map, "value", ElementsValue(*tensor, span));
  AddEntry(map, "dtype", StringValue(DTypeName(tensor->dtype()), span));
  return map;
}

std::string KindText(const Tensor& tensor) {
  return fmt::format("{} {}", DTypeName(tensor.dtype()), ShapeText(tensor.shape()));
}

// Both arrays, each starting on a new line.
std::string Both(const Tensor& found, const Tensor& expected) {
  return fmt::format("\n  found:\n{}\n  expected:\n{}", PrintTensor(found), PrintTensor(expected));
}

std::string WorstText(const Tensor& found, const Tensor& expected, const Comparison& comparison) {
  std::string text = fmt::format("at {}: found {}, expected {}", IndexText(found.shape(), comparison.place),
                                 ElementText(found, comparison.place), ElementText(expected, comparison.place));
  if (std::isnan(comparison.difference)) return text;
  text += fmt::format(": {:.6g} apart", comparison.difference);
  return comparison.allowed == 0 ? text : text + fmt::format(", at most {:.6g} is allowed", comparison.allowed);
}

}  // namespace

Result<Tensor> ToTensor(const test::Array& array) {
  const DType dtype = DTypeFromNumber(array.dtype);
  if (!HasValues(dtype)) return InvalidArgument(fmt::format("an array cannot be of type {}", DTypeName(dtype)));
  Result<Tensor> tensor = Tensor::Create(dtype, array.shape);
  if (!tensor.ok()) return tensor;
  if (CountOf(array) != tensor->num_elements()) {
    return InvalidArgument(fmt::format("an array of shape {} has {} elements, and the test gives {}",
                                       ShapeText(array.shape), tensor->num_elements(), CountOf(array)));
  }
  if (dtype != DType::kString) {
    if (!array.bytes.empty()) std::memcpy(tensor->mutable_data(), array.bytes.data(), array.bytes.size());
    return tensor;
  }
  for (size_t i = 0; i < array.strings.size(); ++i) {
    const Status set = tensor->SetString(static_cast<int64_t>(i), array.strings[i]);
    if (!set.ok()) return set;
  }
  return tensor;
}

test::Array ToArray(const Tensor& tensor) {
  test::Array array{DTypeNumber(tensor.dtype()), tensor.shape(), {}, {}};
  if (tensor.dtype() != DType::kString) {
    array.bytes.assign(static_cast<const char*>(tensor.data()), tensor.num_bytes());
    return array;
  }
  for (int64_t i = 0; i < tensor.num_elements(); ++i) array.strings.emplace_back(tensor.string(i));
  return array;
}

Value ToValue(const test::AttrValue& value, Span span) {
  using Kind = test::AttrValue::Kind;
  switch (value.kind) {
    case Kind::kInt:
      return PlainValue(std::to_string(value.number), span);
    case Kind::kFloat:
      return PlainValue(ExactText(value.real), span);
    case Kind::kBool:
      return PlainValue(value.number != 0 ? "true" : "false", span);
    case Kind::kString:
      return StringValue(value.text, span);
    case Kind::kTensor:
      return TensorText(*value.tensor, span);
    default: {
      Value list = ListValue(span);
      for (const test::AttrValue& item : value.items) list.items.push_back(ToValue(item, span));
      return list;
    }
  }
}

Result<std::map<std::string, spec::AttrValue>> ConvertAttrs(const spec::OpDef& op, const TestAttrs& attrs) {
  std::map<std::string, spec::AttrValue> given;
  for (const auto& [name, value] : attrs) {
    const spec::AttrDef* const attr = op.FindAttr(name);
    if (attr == nullptr) {
      std::vector<std::string> names;
      for (const spec::AttrDef& each : op.attrs) names.push_back(each.name);
      return InvalidArgument(
          fmt::format("op '{}' has no attr '{}'\n  help: {}", op.name, name, DidYouMean(name, names, "attrs")));
    }
    AttrMistake mistake;
    std::optional<spec::AttrValue> converted = AttrFromValue(*attr, ToValue(value, {}), &mistake);
    if (!converted) return InvalidArgument(mistake.message + "\n  help: " + mistake.help, "attr:" + name);
    given.emplace(name, *std::move(converted));
  }
  return given;
}

std::string DifferenceText(const std::string& name, const Tensor& found, const Tensor& expected,
                           const Tolerance& tolerance) {
  if (found.dtype() != expected.dtype() || found.shape() != expected.shape()) {
    return fmt::format("{} is {}, expected {}{}", name, KindText(found), KindText(expected), Both(found, expected));
  }
  const Comparison comparison = CompareTensors(found, expected, tolerance);
  if (comparison.wrong == 0) return "";
  return fmt::format("{} differs in {} of {} elements; worst: {}{}", name, comparison.wrong, found.num_elements(),
                     WorstText(found, expected, comparison), Both(found, expected));
}

}  // namespace opsrun::host

namespace opsrun::test {

std::string TypeName(int32_t dtype) {
  return host::DTypeName(host::DTypeFromNumber(dtype));
}

Half::Half(double number) : bits_(host::HalfFromDouble(number)) {}
Half::operator float() const {
  return host::HalfToFloat(bits_);
}
Half Half::FromBits(uint16_t bits) {
  Half half;
  half.bits_ = bits;
  return half;
}

BFloat16::BFloat16(double number) : bits_(host::BFloat16FromDouble(number)) {}
BFloat16::operator float() const {
  return host::BFloat16ToFloat(bits_);
}
BFloat16 BFloat16::FromBits(uint16_t bits) {
  BFloat16 number;
  number.bits_ = bits;
  return number;
}

template <int32_t kType>
Float8<kType>::Float8(double number)
    : bits_(host::WithNumberType(host::DTypeFromNumber(kType), [&]<typename T>(T) -> uint8_t {
        if constexpr (sizeof(T) == 1 && host::kIsSmallFloat<T>) return T(number).bits;
        return 0;
      })) {}
template <int32_t kType>
Float8<kType>::operator float() const {
  return host::WithNumberType(host::DTypeFromNumber(kType), [&]<typename T>(T element) -> float {
    if constexpr (sizeof(T) == 1 && host::kIsSmallFloat<T>) {
      element.bits = bits_;
      return static_cast<float>(double{element});
    }
    return 0;
  });
}
template <int32_t kType>
Float8<kType> Float8<kType>::FromBits(uint8_t bits) {
  Float8 number;
  number.bits_ = bits;
  return number;
}
template class Float8<OPSRUN_DT_FLOAT8_E5M2>;
template class Float8<OPSRUN_DT_FLOAT8_E4M3FN>;
template class Float8<OPSRUN_DT_FLOAT8_E4M3FNUZ>;
template class Float8<OPSRUN_DT_FLOAT8_E4M3B11FNUZ>;
template class Float8<OPSRUN_DT_FLOAT8_E5M2FNUZ>;

// For an invalid shape, returns an array that tests reject when they use it.
Array Array::Zeros(int32_t dtype, Shape shape) {
  const host::Result<host::Tensor> zeros = host::Tensor::Create(host::DTypeFromNumber(dtype), shape);
  return zeros.ok() ? host::ToArray(*zeros) : Array{dtype, std::move(shape), {}, {}};
}

}  // namespace opsrun::test
