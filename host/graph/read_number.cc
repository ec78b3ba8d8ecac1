// host/graph/read_number.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/graph/read_number.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "host/base/decimal_text.h"
#include "host/tensor/nearest.h"
#include "host/tensor/number_type.h"
#include "host/yaml/scalar.h"

namespace opsrun::host {
namespace {

template <typename T>
bool IsFinite(T number) {
  return std::isfinite(static_cast<double>(number));
}

template <typename T>
ReadNumber<T> NearestTo(std::string_view digits) {
  const T number = NearestNumber<T>(digits);
  return {number, !IsFinite(number)};
}

template <typename T>
ReadNumber<T> Special(double special) {
  const T number(special);
  return {number, std::isnan(static_cast<double>(number)) != std::isnan(special)};
}

// One term of a complex number.
template <typename T>
std::optional<ReadNumber<T>> ReadTerm(std::string_view text) {
  const bool has_sign = text.starts_with('-') || text.starts_with('+');
  const std::string_view word = text.substr(has_sign ? 1 : 0);
  const std::optional<double> special = word == "inf"   ? ParseSpecial(".inf")
                                        : word == "nan" ? ParseSpecial(".nan")
                                                        : ParseSpecial(word);
  if (special) return Special<T>(text.starts_with('-') ? -*special : *special);
  return ReadFloat<T>(text);
}

// The two terms; the first may be empty.
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

}  // namespace

template <typename T>
std::optional<ReadNumber<T>> ReadFloat(std::string_view text) {
  if (IsDecimalText(text)) return NearestTo<T>(text);
  if (const std::optional<double> special = ParseSpecial(text)) return Special<T>(*special);
  if (const std::optional<uint64_t> integer = ParseUint(text)) return NearestTo<T>(std::to_string(*integer));
  return std::nullopt;
}
template std::optional<ReadNumber<double>> ReadFloat(std::string_view);
template std::optional<ReadNumber<float>> ReadFloat(std::string_view);
template std::optional<ReadNumber<Half>> ReadFloat(std::string_view);
template std::optional<ReadNumber<BFloat16>> ReadFloat(std::string_view);
template std::optional<ReadNumber<Float8E5M2>> ReadFloat(std::string_view);
template std::optional<ReadNumber<Float8E4M3FN>> ReadFloat(std::string_view);
template std::optional<ReadNumber<Float8E4M3FNUZ>> ReadFloat(std::string_view);
template std::optional<ReadNumber<Float8E4M3B11FNUZ>> ReadFloat(std::string_view);
template std::optional<ReadNumber<Float8E5M2FNUZ>> ReadFloat(std::string_view);

template <typename T>
std::optional<ReadNumber<std::complex<T>>> ReadComplex(std::string_view text) {
  const auto terms = SplitComplex(text);
  if (!terms) return std::nullopt;
  const auto real = terms->first.empty() ? std::optional(ReadNumber<T>{}) : ReadTerm<T>(terms->first);
  const auto imag = ReadTerm<T>(terms->second);
  if (!real || !imag) return std::nullopt;
  return ReadNumber<std::complex<T>>{{real->number, imag->number}, real->overflows || imag->overflows};
}
template std::optional<ReadNumber<std::complex<float>>> ReadComplex(std::string_view);
template std::optional<ReadNumber<std::complex<double>>> ReadComplex(std::string_view);

std::optional<double> ReadFloatAttr(const Value& value) {
  if (value.kind != Value::Kind::kScalar || value.quoted) return std::nullopt;
  return IsDecimalText(value.text) ? DoubleFor<float>(value.text) : AsFloat(value);
}

}  // namespace opsrun::host
