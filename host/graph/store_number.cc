// host/graph/store_number.cc: one number of a graph file as the bytes of one element.
// SPDX-License-Identifier: Apache-2.0
#include "host/graph/store_number.h"

#include <fmt/core.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "host/tensor/float16.h"
#include "host/yaml/reporter.h"
#include "host/yaml/scalar.h"

namespace opsrun::host {
namespace {

using Complex = std::complex<double>;

bool IsDigits(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool IsInteger(const Value& value) {
  return AsInt(value) || AsUint(value) || (AsFloat(value) && IsDigits(value.text));
}

// One term of a complex number in Python's spelling: "inf" and "nan" have no point.
std::optional<double> ParseTerm(std::string_view text) {
  const bool has_sign = !text.empty() && (text[0] == '-' || text[0] == '+');
  const std::string_view word = text.substr(has_sign ? 1 : 0);
  if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (word == "inf")
    return text[0] == '-' ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  Value value;
  value.kind = Value::Kind::kScalar;
  value.text = text;
  return AsFloat(value);
}

// The two terms of "2j", "1+2j", "(1-2.5e-3j)"; the first may be empty.
std::optional<std::pair<std::string_view, std::string_view>> SplitComplex(std::string_view text) {
  if (text.size() > 2 && text.front() == '(' && text.back() == ')') text = text.substr(1, text.size() - 2);
  if (text.empty() || text.back() != 'j') return std::nullopt;
  text.remove_suffix(1);
  size_t split = text.find_last_of("+-");
  while (split != std::string_view::npos && split > 0 && (text[split - 1] == 'e' || text[split - 1] == 'E')) {
    split = text.find_last_of("+-", split - 1);
  }
  if (split == std::string_view::npos) split = 0;
  return std::pair(text.substr(0, split), text.substr(split));
}

std::optional<Complex> ParseComplex(std::string_view text) {
  const auto terms = SplitComplex(text);
  if (!terms) return std::nullopt;
  const std::optional<double> real = terms->first.empty() ? 0.0 : ParseTerm(terms->first);
  const std::optional<double> imag = ParseTerm(terms->second);
  if (!real || !imag) return std::nullopt;
  return Complex(*real, *imag);
}

std::optional<Complex> AsComplex(const Value& value) {
  if (const std::optional<double> real = AsFloat(value)) return Complex(*real, 0);
  return value.kind == Value::Kind::kScalar ? ParseComplex(value.text) : std::nullopt;
}

Status Refuse(const Value& value, DType dtype, std::string_view why) {
  return InvalidArgument(fmt::format("{} {} {}", Quote(value.text), why, DTypeName(dtype)));
}

// What the scalar is, where a number is wanted.
Status RefuseKind(const Value& value, DType dtype) {
  if (value.kind != Value::Kind::kScalar) {
    return InvalidArgument(fmt::format("found {}, expected {}", KindText(value), DTypeName(dtype)));
  }
  return Refuse(value, dtype, fmt::format("is {}, expected", KindText(value)));
}

template <typename T>
void Put(T value, void* to) {
  std::memcpy(to, &value, sizeof value);
}

Status StoreBool(const Value& value, void* to) {
  const std::optional<bool> flag = AsBool(value);
  const std::optional<int64_t> number = AsInt(value);
  if (!flag && number != 0 && number != 1) return RefuseKind(value, DType::kBool);
  Put<uint8_t>(flag ? *flag : *number != 0, to);
  return OkStatus();
}

template <typename T>
Status StoreInt(const Value& value, DType dtype, void* to) {
  using Wide = std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>;
  using Limits = std::numeric_limits<T>;
  std::optional<Wide> number;
  if constexpr (std::is_signed_v<T>) {
    number = AsInt(value);
  } else {
    number = AsUint(value);
  }
  if (number && *number >= Limits::min() && *number <= Limits::max())
    return Put(static_cast<T>(*number), to), OkStatus();
  if (!IsInteger(value)) return RefuseKind(value, dtype);
  return InvalidArgument(fmt::format("{} does not fit {} ({} to {})", Quote(value.text), DTypeName(dtype),
                                     +Limits::min(), +Limits::max()));
}

// The element's bits, and whether rounding made a finite number infinite.
template <typename T>
struct Rounded {
  T bits;
  bool overflow;
};

Rounded<float> RoundToFloat(double value) {
  const float rounded = static_cast<float>(value);
  return {rounded, std::isinf(rounded) && !std::isinf(value)};
}

Rounded<uint16_t> RoundTo16(double value, DType dtype) {
  const bool half = dtype == DType::kFloat16;
  const uint16_t bits = half ? HalfFromDouble(value) : BFloat16FromDouble(value);
  const float rounded = half ? HalfToFloat(bits) : BFloat16ToFloat(bits);
  return {bits, std::isinf(rounded) && !std::isinf(value)};
}

// A decimal number beyond double is read as infinity, but was not written as one.
bool IsTooLargeForDouble(std::string_view term) {
  const std::optional<double> number = ParseTerm(term);
  return number && std::isinf(*number) && term.find_first_of("0123456789") != std::string_view::npos;
}

// The same of a number or of a term of a complex one.
bool IsTooLargeForDouble(const Value& value) {
  const auto terms = SplitComplex(value.text);
  if (!terms) return IsTooLargeForDouble(std::string_view(value.text));
  return IsTooLargeForDouble(terms->first) || IsTooLargeForDouble(terms->second);
}

Status StoreFloat(const Value& value, DType dtype, void* to) {
  const std::optional<double> number = AsFloat(value);
  if (!number) return RefuseKind(value, dtype);
  bool overflow = IsTooLargeForDouble(value);
  if (dtype == DType::kFloat64) {
    Put(*number, to);
  } else if (dtype == DType::kFloat32) {
    const Rounded<float> rounded = RoundToFloat(*number);
    Put(rounded.bits, to);
    overflow = overflow || rounded.overflow;
  } else {
    const Rounded<uint16_t> rounded = RoundTo16(*number, dtype);
    Put(rounded.bits, to);
    overflow = overflow || rounded.overflow;
  }
  return overflow ? Refuse(value, dtype, "is too large for") : OkStatus();
}

Status StoreComplex(const Value& value, DType dtype, void* to) {
  const std::optional<Complex> number = AsComplex(value);
  if (!number) return RefuseKind(value, dtype);
  bool overflow = IsTooLargeForDouble(value);
  if (dtype == DType::kComplex128) {
    Put(*number, to);
  } else {
    const Rounded<float> real = RoundToFloat(number->real());
    const Rounded<float> imag = RoundToFloat(number->imag());
    Put(std::complex<float>(real.bits, imag.bits), to);
    overflow = overflow || real.overflow || imag.overflow;
  }
  return overflow ? Refuse(value, dtype, "is too large for") : OkStatus();
}

}  // namespace

std::optional<DType> NaturalDType(const Value& value) {
  if (AsBool(value)) return DType::kBool;
  if (IsInteger(value)) return DType::kInt64;
  if (AsFloat(value)) return DType::kFloat64;
  if (!value.quoted && AsComplex(value)) return DType::kComplex128;
  return std::nullopt;
}

Status StoreNumber(const Value& value, DType dtype, void* to) {
  switch (dtype) {
    case DType::kBool:
      return StoreBool(value, to);
    case DType::kInt8:
    case DType::kQInt8:
      return StoreInt<int8_t>(value, dtype, to);
    case DType::kInt16:
    case DType::kQInt16:
      return StoreInt<int16_t>(value, dtype, to);
    case DType::kInt32:
    case DType::kQInt32:
      return StoreInt<int32_t>(value, dtype, to);
    case DType::kInt64:
      return StoreInt<int64_t>(value, dtype, to);
    case DType::kUInt8:
    case DType::kQUInt8:
      return StoreInt<uint8_t>(value, dtype, to);
    case DType::kUInt16:
    case DType::kQUInt16:
      return StoreInt<uint16_t>(value, dtype, to);
    case DType::kUInt32:
      return StoreInt<uint32_t>(value, dtype, to);
    case DType::kUInt64:
      return StoreInt<uint64_t>(value, dtype, to);
    case DType::kComplex64:
    case DType::kComplex128:
      return StoreComplex(value, dtype, to);
    case DType::kFloat16:
    case DType::kBFloat16:
    case DType::kFloat32:
    case DType::kFloat64:
      return StoreFloat(value, dtype, to);
    case DType::kInvalid:
    case DType::kString:
    case DType::kResource:
    case DType::kVariant:
      break;
  }
  return RefuseKind(value, dtype);
}

}  // namespace opsrun::host
