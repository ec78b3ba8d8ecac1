// host/graph/number_help.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/graph/number_help.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "host/base/characters.h"
#include "host/graph/store_number.h"
#include "host/tensor/number_type.h"
#include "host/yaml/scalar.h"

namespace opsrun::host {
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

// 0X1F, -0x1F, 0b11 and 017 in other languages.
std::optional<std::string> DecimalFor(std::string_view text) {
  const bool minus = text.starts_with('-');
  if (minus || text.starts_with('+')) text.remove_prefix(1);
  if (text.size() < 3 || text[0] != '0') return std::nullopt;
  const char mark = Lower(text[1]);
  const int base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 0;
  if (base == 0) return std::nullopt;
  uint64_t number = 0;
  const auto read = std::from_chars(text.data() + 2, text.data() + text.size(), number, base);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return fmt::format("{}{}", minus ? "-" : "", number);
}

bool IsNumber(const std::string& text) {
  return NaturalDType(PlainValue(text)).has_value() && !AsBool(PlainValue(text));
}

// 1000 for 1_000, 1.5 for 1,5 and 1.5f; empty if that would not be a number.
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

// 1000 for 1e3 or 1000.0; nothing for 1.5 and for what doubles do not hold exactly.
std::optional<std::string> WholeFor(const Value& value) {
  constexpr double kMostExact = 9007199254740992;  // 2^53
  const std::optional<double> number = AsFloat(value);
  if (!number || std::abs(*number) > kMostExact || *number != std::floor(*number)) return std::nullopt;
  return fmt::format("{}", static_cast<int64_t>(*number));
}

bool IsInteger(DType dtype) {
  return DTypeSize(dtype) != 0 && WithNumberType(dtype, []<typename T>(T) { return std::is_integral_v<T>; });
}

bool IsComplexType(DType dtype) {
  return dtype == DType::kComplex64 || dtype == DType::kComplex128;
}

// For a number that is of another type.
std::string OtherTypeHelp(const Value& value, DType dtype) {
  if (AsBool(value)) return "write 1 or 0, or change the 'dtype' to bool";
  const bool is_complex = NaturalDType(value) == DType::kComplex128;
  if (is_complex && !IsComplexType(dtype)) return "change the 'dtype' to complex64 or complex128";
  const bool decimal = NaturalDType(value) == DType::kFloat64;
  if (!decimal || !IsInteger(dtype)) return "change the number, or the 'dtype'";
  if (const std::optional<std::string> whole = WholeFor(value)) {
    return fmt::format("write {}: integers have no point and no exponent; or change the 'dtype'", *whole);
  }
  return "write a whole number, or change the 'dtype'";
}

std::string WordHelp(const std::string& text, DType dtype) {
  if (const std::string special = SpecialFor(text); !special.empty()) {
    return IsInteger(dtype)
               ? fmt::format("{} cannot be {}; change the number, or the 'dtype'", DTypeName(dtype), special)
               : fmt::format("write {}, with a point", special);
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
  if (value.quoted) return "write numbers without quotes; for text, say dtype: string";
  if (dtype == DType::kBool) return "write true or false, or change the 'dtype'";
  return NaturalDType(value) ? OtherTypeHelp(value, dtype) : WordHelp(value.text, dtype);
}

}  // namespace opsrun::host
