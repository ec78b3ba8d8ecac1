// host/spec/read_literal.cc: numbers, words and types. Strings are in read_string.cc.
// SPDX-License-Identifier: Apache-2.0
#include "host/spec/read_literal.h"

#include <locale.h>
#include <stdlib.h>

#include <charconv>
#include <system_error>

#include "host/spec/type_words.h"

namespace opsrun::host::spec {
namespace {

bool IsNumberChar(char c) {
  return IsLetter(c) || IsDigit(c) || c == '.' || c == '+' || c == '-';
}
bool IsTypeChar(char c) {
  return IsNameChar(c) || c == '-';
}

std::string Quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

bool Refuse(TextCursor* cursor, size_t offset, std::string text, std::string* problem) {
  cursor->MoveTo(offset);
  *problem = std::move(text);
  return false;
}

bool RefuseMissing(TextCursor* cursor, size_t offset, std::string_view expected, std::string* problem) {
  cursor->MoveTo(offset);
  return Refuse(cursor, offset, "expected " + std::string(expected) + ", found " + cursor->Found(), problem);
}

// "08" is eight; "007" would be octal to one reader and seven to another, and is refused.
bool HasTwoLeadingZeros(std::string_view token) {
  if (token.starts_with('+') || token.starts_with('-')) token.remove_prefix(1);
  return token.size() > 1 && token.starts_with("00");
}

// The whole token as a number. from_chars knows no '+'; taking it off must not make "+-3" a number.
template <typename T>
bool ParseWhole(std::string_view token, T* value) {
  if (token.starts_with('+') && !token.starts_with("+-")) token.remove_prefix(1);
  auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), *value);
  return error == std::errc() && end == token.data() + token.size();
}

template <typename T>
bool ReadInteger(TextCursor* cursor, T lowest, T highest, T* value, std::string* problem) {
  const size_t begin = cursor->offset();
  std::string_view token = cursor->TakeWhile(IsNumberChar);
  if (token.empty()) return RefuseMissing(cursor, begin, "a whole number", problem);
  if (HasTwoLeadingZeros(token)) return Refuse(cursor, begin, Quoted(token) + " has too many leading zeros", problem);
  if (!ParseWhole(token, value)) {
    return Refuse(cursor, begin, Quoted(token) + " is no whole number, or is too large", problem);
  }
  if (*value >= lowest && *value <= highest) return true;
  return Refuse(cursor, begin, Quoted(token) + " is out of range", problem);
}

// strtof and strtod would take the decimal point from the locale that the process has set.
template <typename T>
T ToFloat(const char* text, char** end);
template <>
float ToFloat<float>(const char* text, char** end) {
  locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  float value = strtof_l(text, end, plain);
  freelocale(plain);
  return value;
}
template <>
double ToFloat<double>(const char* text, char** end) {
  locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  double value = strtod_l(text, end, plain);
  freelocale(plain);
  return value;
}

template <typename T>
bool ReadFloating(TextCursor* cursor, T* value, std::string* problem) {
  const size_t begin = cursor->offset();
  const std::string token(cursor->TakeWhile(IsNumberChar));
  if (token.empty()) return RefuseMissing(cursor, begin, "a number", problem);
  if (HasTwoLeadingZeros(token)) return Refuse(cursor, begin, Quoted(token) + " has too many leading zeros", problem);
  char* end = nullptr;
  *value = ToFloat<T>(token.c_str(), &end);
  if (end == token.c_str() + token.size()) return true;
  return Refuse(cursor, begin, Quoted(token) + " is no number", problem);
}

}  // namespace

bool ReadInt(TextCursor* cursor, int64_t lowest, int64_t highest, int64_t* value, std::string* problem) {
  return ReadInteger<int64_t>(cursor, lowest, highest, value, problem);
}

bool ReadUint(TextCursor* cursor, uint64_t highest, uint64_t* value, std::string* problem) {
  return ReadInteger<uint64_t>(cursor, 0, highest, value, problem);
}

bool ReadFloat(TextCursor* cursor, float* value, std::string* problem) {
  return ReadFloating<float>(cursor, value, problem);
}

bool ReadDouble(TextCursor* cursor, double* value, std::string* problem) {
  return ReadFloating<double>(cursor, value, problem);
}

bool ReadBool(TextCursor* cursor, bool* value, std::string* problem) {
  const size_t begin = cursor->offset();
  std::string_view token = cursor->TakeWhile([](char c) { return IsLetter(c) || IsDigit(c); });
  *value = token == "true" || token == "True" || token == "1";
  if (*value || token == "false" || token == "False" || token == "0") return true;
  return RefuseMissing(cursor, begin, "true or false", problem);
}

bool ReadType(TextCursor* cursor, DType* value, std::string* problem) {
  const size_t begin = cursor->offset();
  std::string_view token = cursor->TakeWhile(IsTypeChar);
  if (token.empty()) return RefuseMissing(cursor, begin, "a data type such as DT_FLOAT", problem);
  if (std::optional<DType> dtype = TypeFromEnumWord(token)) {
    *value = *dtype;
    return true;
  }
  int32_t number = 0;
  if (!HasTwoLeadingZeros(token) && ParseWhole(token, &number)) {
    *value = DTypeFromNumber(number);
    return true;
  }
  std::string text = Quoted(token) + " is no data type";
  if (std::optional<DType> dtype = TypeFromWord(token)) text += " in a default: write " + EnumWord(*dtype);
  return Refuse(cursor, begin, std::move(text), problem);
}

}  // namespace opsrun::host::spec
