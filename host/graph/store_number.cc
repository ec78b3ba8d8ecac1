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

#include "host/tensor/number_type.h"
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
  return AsFloat(PlainValue(std::string(text)));
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
  using Limits = std::numeric_limits<T>;
  const auto number = [&] {
    if constexpr (std::is_signed_v<T>) {
      return AsInt(value);
    } else {
      return AsUint(value);
    }
  }();
  if (number && std::in_range<T>(*number)) return Put(static_cast<T>(*number), to), OkStatus();
  if (!IsInteger(value)) return RefuseKind(value, dtype);
  return InvalidArgument(fmt::format("{} does not fit {} ({} to {})", Quote(value.text), DTypeName(dtype),
                                     +Limits::min(), +Limits::max()));
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

// Whether rounding made a finite number infinite, or made NaN of what a format without infinities cannot hold.
bool Overflows(double number, double rounded) {
  return (std::isinf(rounded) && !std::isinf(number)) || (std::isnan(rounded) && !std::isnan(number));
}

template <typename T>
Status StoreFloat(const Value& value, DType dtype, void* to) {
  const std::optional<double> number = AsFloat(value);
  if (!number) return RefuseKind(value, dtype);
  const T rounded = static_cast<T>(*number);
  Put(rounded, to);
  const bool overflow = IsTooLargeForDouble(value) || Overflows(*number, rounded);
  return overflow ? Refuse(value, dtype, "is too large for") : OkStatus();
}

template <typename T>
Status StoreComplex(const Value& value, DType dtype, void* to) {
  const std::optional<Complex> number = AsComplex(value);
  if (!number) return RefuseKind(value, dtype);
  const T rounded(*number);
  Put(rounded, to);
  const bool overflow = IsTooLargeForDouble(value) || Overflows(number->real(), rounded.real()) ||
                        Overflows(number->imag(), rounded.imag());
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
  if (dtype == DType::kBool) return StoreBool(value, to);
  if (DTypeSize(dtype) == 0) return RefuseKind(value, dtype);
  return WithNumberType(dtype, [&]<typename T>(T) {
    if constexpr (std::is_integral_v<T>) {
      return StoreInt<T>(value, dtype, to);
    } else if constexpr (kIsComplex<T>) {
      return StoreComplex<T>(value, dtype, to);
    } else {
      return StoreFloat<T>(value, dtype, to);
    }
  });
}

}  // namespace opsrun::host
