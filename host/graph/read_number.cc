// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "host/base/text.h"
#include "host/graph/tensor_value.h"
#include "host/tensor/number_type.h"
#include "host/yaml/value.h"

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

// Reads one term of a complex number.
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

// Splits a complex number into two terms; the first may be empty.
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

// Converts a number to the bytes of an element.

namespace {

bool IsDigits(std::string_view text) {
  TakeSign(text);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool IsInteger(const Value& value) {
  return AsInt(value) || AsUint(value) || (AsFloat(value) && IsDigits(value.text));
}

Status Refuse(const Value& value, DType dtype, std::string_view why) {
  return InvalidArgument(fmt::format("{} {} {}", Quote(value.text), why, DTypeName(dtype)));
}

// Says what the value is instead of a number.
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

namespace {

constexpr const char* kBoolHelp = "write true or false, without quotes";
constexpr const char* kNothingHelp = "write a number, or lists of numbers; a tensor has no missing values";

template <size_t n>
bool IsOneOf(const std::string& word, const std::array<std::string_view, n>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool IsBoolWord(const std::string& text) {
  return IsOneOf(LowerCase(text), std::array<std::string_view, 8>{"yes", "no", "on", "off", "y", "n", "true", "false"});
}

bool IsNothingWord(const std::string& text) {
  return IsOneOf(LowerCase(text), std::array<std::string_view, 5>{"none", "nil", "na", "n/a", "undefined"});
}

// ".nan" for nan, "-.inf" for -Infinity; empty for other words.
std::string SpecialFor(const std::string& text) {
  const bool signed_text = text.starts_with('-') || text.starts_with('+');
  std::string word = LowerCase(text.substr(signed_text ? 1 : 0));
  if (word.starts_with('.')) word.erase(0, 1);
  if (word == "nan") return ".nan";
  if (word != "inf" && word != "infinity") return {};
  return text[0] == '-' ? "-.inf" : ".inf";
}

// Converts the hexadecimal, octal and binary numbers of other languages: 0X1F, -0x1F, 0b11.
std::optional<std::string> DecimalFor(std::string_view text) {
  const bool minus = TakeSign(text);
  if (text.size() < 3 || text[0] != '0') return std::nullopt;
  const char mark = Lower(text[1]);
  const int base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 0;
  if (base == 0) return std::nullopt;
  const std::optional<uint64_t> number = ParseInteger<uint64_t>(text.substr(2), base);
  return number ? std::optional(fmt::format("{}{}", minus ? "-" : "", *number)) : std::nullopt;
}

bool IsNumber(const std::string& text) {
  return NaturalDType(PlainValue(text)).has_value() && !AsBool(PlainValue(text));
}

// 1000 for 1_000, 1.5 for 1,5 and 1.5f; empty if the result is not a number.
std::string WithoutDecoration(std::string text) {
  if (text.find_first_of("0123456789") == std::string::npos) return {};
  std::erase(text, '_');
  const size_t comma = text.find(',');
  const bool is_point = comma != std::string::npos && text.find_first_of(",.", comma + 1) == std::string::npos;
  if (is_point) text[comma] = '.';
  std::erase(text, ',');
  while (text.size() > 1 && std::string_view("fFdDlLuU").find(text.back()) != std::string_view::npos) text.pop_back();
  return IsNumber(text) ? text : std::string();
}

// 1000 for 1e3 or 1000.0; nothing for 1.5, and for numbers that a double may not represent exactly.
std::optional<std::string> WholeFor(const Value& value) {
  constexpr double kMostExact = 9007199254740992;  // 2^53
  const std::optional<double> number = AsFloat(value);
  if (!number || std::abs(*number) > kMostExact || *number != std::floor(*number)) return std::nullopt;
  return fmt::format("{}", static_cast<int64_t>(*number));
}

bool IsInteger(DType dtype) {
  return DTypeSize(dtype) != 0 && WithNumberType(dtype, []<typename T>(T) { return std::is_integral_v<T>; });
}

// Help for a number of another type.
std::string OtherTypeHelp(const Value& value, DType dtype) {
  if (AsBool(value)) return "write 1 or 0, or change the 'dtype' to bool";
  const bool is_complex = NaturalDType(value) == DType::kComplex128;
  if (is_complex && !IsComplex(dtype)) return "change the 'dtype' to complex64 or complex128";
  const bool decimal = NaturalDType(value) == DType::kFloat64;
  if (!decimal || !IsInteger(dtype)) return "change the number, or the 'dtype'";
  if (const std::optional<std::string> whole = WholeFor(value)) {
    return fmt::format("write {}: integers have no decimal point or exponent; or change the 'dtype'", *whole);
  }
  return "write a whole number, or change the 'dtype'";
}

std::string WordHelp(const std::string& text, DType dtype) {
  if (const std::string special = SpecialFor(text); !special.empty()) {
    return IsInteger(dtype)
               ? fmt::format("{} cannot be {}; change the number, or the 'dtype'", DTypeName(dtype), special)
               : fmt::format("write {}, with a dot", special);
  }
  if (IsNothingWord(text)) return kNothingHelp;
  if (const std::string number = NumberMeantBy(text); !number.empty()) return fmt::format("write {}", number);
  const std::string quotes = fmt::format("for text, put every value in quotes: '{}'", text);
  return IsBoolWord(text) ? fmt::format("write true or false; {}", quotes) : fmt::format("write a number; {}", quotes);
}

}  // namespace

std::string NumberMeantBy(const std::string& word) {
  if (const std::string special = SpecialFor(word); !special.empty()) return special;
  return DecimalFor(word).value_or(WithoutDecoration(word));
}

std::string NumberHelp(const Value& value, DType dtype) {
  if (dtype == DType::kBool && value.kind == Value::Kind::kScalar && !NaturalDType(value)) return kBoolHelp;
  if (value.kind == Value::Kind::kNull) return kNothingHelp;
  if (value.kind == Value::Kind::kList || value.kind == Value::Kind::kMap) return "write a number, or lists of numbers";
  if (value.quoted) return "write numbers without quotes; for text, set dtype: string";
  if (dtype == DType::kBool) return "write true or false, or change the 'dtype'";
  return NaturalDType(value) ? OtherTypeHelp(value, dtype) : WordHelp(value.text, dtype);
}

}  // namespace opsrun::host
