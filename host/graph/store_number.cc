// host/graph/store_number.cc: one number of a graph file as the bytes of one element.
// SPDX-License-Identifier: Apache-2.0
#include "host/graph/store_number.h"

#include <fmt/core.h>

#include <complex>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "host/graph/read_number.h"
#include "host/tensor/number_type.h"
#include "host/yaml/reporter.h"
#include "host/yaml/scalar.h"

namespace opsrun::host {
namespace {

bool IsDigits(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool IsInteger(const Value& value) {
  return AsInt(value) || AsUint(value) || (AsFloat(value) && IsDigits(value.text));
}

Status Refuse(const Value& value, DType dtype, std::string_view why) {
  return InvalidArgument(fmt::format("{} {} {}", Quote(value.text), why, DTypeName(dtype)));
}

// What the scalar is, where a number is wanted.
Status RefuseKind(const Value& value, DType dtype) {
  if (value.kind != Value::Kind::kScalar) {
    return InvalidArgument(fmt::format("found {}, expected {}", KindText(value), DTypeName(dtype)));
  }
  const std::string kind = NaturalDType(value) == DType::kComplex128 ? "a complex number" : KindText(value);
  return Refuse(value, dtype, fmt::format("is {}, expected", kind));
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

template <typename T>
std::optional<ReadNumber<T>> NumberOf(const Value& value) {
  if (value.kind != Value::Kind::kScalar || value.quoted) return std::nullopt;
  return ReadFloat<T>(value.text);
}

template <typename T>
std::optional<ReadNumber<std::complex<T>>> ComplexOf(const Value& value) {
  if (const auto real = NumberOf<T>(value)) return ReadNumber<std::complex<T>>{{real->number, 0}, real->overflows};
  if (value.kind != Value::Kind::kScalar) return std::nullopt;
  return ReadComplex<T>(value.text);
}

template <typename T>
Status StoreRead(const std::optional<ReadNumber<T>>& read, const Value& value, DType dtype, void* to) {
  if (!read) return RefuseKind(value, dtype);
  Put(read->number, to);
  return read->overflows ? Refuse(value, dtype, "is too large for") : OkStatus();
}

}  // namespace

std::optional<DType> NaturalDType(const Value& value) {
  if (AsBool(value)) return DType::kBool;
  if (IsInteger(value)) return DType::kInt64;
  if (AsFloat(value)) return DType::kFloat64;
  if (!value.quoted && ComplexOf<double>(value)) return DType::kComplex128;
  return std::nullopt;
}

Status StoreNumber(const Value& value, DType dtype, void* to) {
  if (dtype == DType::kBool) return StoreBool(value, to);
  if (DTypeSize(dtype) == 0) return RefuseKind(value, dtype);
  return WithNumberType(dtype, [&]<typename T>(T) {
    if constexpr (std::is_integral_v<T>) {
      return StoreInt<T>(value, dtype, to);
    } else if constexpr (kIsComplex<T>) {
      return StoreRead(ComplexOf<typename T::value_type>(value), value, dtype, to);
    } else {
      return StoreRead(NumberOf<T>(value), value, dtype, to);
    }
  });
}

}  // namespace opsrun::host
