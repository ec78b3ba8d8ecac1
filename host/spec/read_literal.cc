// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <locale.h>
#include <stdlib.h>

#include <charconv>
#include <system_error>
#include <type_traits>

#include "host/base/display_text.h"
#include "host/spec/op_def.h"
#include "host/spec/parse_op.h"

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

// "08" is 8, but "007" is octal to some readers, so it is refused.
bool HasTwoLeadingZeros(std::string_view token) {
  if (token.starts_with('+') || token.starts_with('-')) token.remove_prefix(1);
  return token.size() > 1 && token.starts_with("00");
}

// Takes the characters of a number; fails if there are none.
bool TakeNumber(TextCursor* cursor, std::string_view expected, std::string_view* token) {
  const size_t begin = cursor->offset();
  *token = cursor->TakeWhile(IsNumberChar);
  if (token->empty()) return cursor->RefuseUnexpected(expected);
  return !HasTwoLeadingZeros(*token) || cursor->RefuseAt(begin, Quoted(*token) + " has too many leading zeros");
}

// "+3" is a number, but "+-3" is not.
template <typename T>
bool ParseWhole(std::string_view token, T* value) {
  if (token.starts_with('+') && !token.starts_with("+-")) token.remove_prefix(1);
  const std::optional<T> parsed = ParseInteger<T>(token);
  if (parsed) *value = *parsed;
  return parsed.has_value();
}

// Parses up to `most` digits and returns how many there were. *code is UINT32_MAX on overflow.
size_t TakeDigits(TextCursor* cursor, int base, size_t most, uint32_t* code) {
  const std::string_view digits = cursor->Rest().substr(0, most);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), *code, base);
  if (error != std::errc()) *code = UINT32_MAX;
  const auto count = static_cast<size_t>(end - digits.data());
  cursor->MoveTo(cursor->offset() + count);
  return count;
}

// After a backslash. As in C, \x takes all hexadecimal digits that follow.
bool TakeEscape(TextCursor* cursor, std::string* value) {
  constexpr std::string_view kLetters = "abfnrtv\\?'\"";
  constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\?'\"";
  uint32_t code = 0;
  if (cursor->Take('x') || cursor->Take('X')) {
    TakeDigits(cursor, 16, std::string_view::npos, &code);
  } else if (const size_t digits = cursor->Take('u') ? 4 : cursor->Take('U') ? 8 : 0; digits > 0) {
    if (TakeDigits(cursor, 16, digits, &code) < digits || !IsUnicode(code)) return false;
    AppendUtf8(code, value);
    return true;
  } else if (TakeDigits(cursor, 8, 3, &code) == 0) {
    const size_t i = kLetters.find(cursor->Peek());
    if (i == std::string_view::npos) return false;
    code = static_cast<unsigned char>(kMeanings[i]);
    cursor->MoveTo(cursor->offset() + 1);
  }
  *value += static_cast<char>(code);
  return code <= 0xFF;
}

}  // namespace

template <typename T>
bool ReadIntFrom(T lowest, TextCursor* cursor, T* value) {
  const size_t begin = cursor->offset();
  std::string_view token;
  if (!TakeNumber(cursor, "a whole number", &token)) return false;
  std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t> number = 0;
  if (!ParseWhole(token, &number)) {
    return cursor->RefuseAt(begin, Quoted(token) + " is not a whole number, or is too large");
  }
  *value = static_cast<T>(number);
  return (std::in_range<T>(number) && *value >= lowest) || cursor->RefuseAt(begin, Quoted(token) + " is out of range");
}
template bool ReadIntFrom(int32_t, TextCursor*, int32_t*);
template bool ReadIntFrom(int64_t, TextCursor*, int64_t*);
template bool ReadIntFrom(uint32_t, TextCursor*, uint32_t*);
template bool ReadIntFrom(uint64_t, TextCursor*, uint64_t*);

template <typename T>
bool ReadFloat(TextCursor* cursor, T* value) {
  const size_t begin = cursor->offset();
  std::string_view number;
  if (!TakeNumber(cursor, "a number", &number)) return false;
  const std::string token(number);
  char* end = nullptr;
  // strtof and strtod would use the decimal point of the process's locale.
  const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
  if constexpr (std::is_same_v<T, float>) {
    *value = strtof_l(token.c_str(), &end, plain);
  } else {
    *value = strtod_l(token.c_str(), &end, plain);
  }
  freelocale(plain);
  return end == token.c_str() + token.size() || cursor->RefuseAt(begin, Quoted(token) + " is not a number");
}
template bool ReadFloat(TextCursor*, float*);
template bool ReadFloat(TextCursor*, double*);

bool ReadBool(TextCursor* cursor, bool* value) {
  const size_t begin = cursor->offset();
  std::string_view token = cursor->TakeWhile([](char c) { return IsLetter(c) || IsDigit(c); });
  *value = token == "true" || token == "True" || token == "1";
  if (*value || token == "false" || token == "False" || token == "0") return true;
  cursor->MoveTo(begin);
  return cursor->RefuseUnexpected("true or false");
}

bool ReadType(TextCursor* cursor, DType* value) {
  const size_t begin = cursor->offset();
  std::string_view token = cursor->TakeWhile(IsTypeChar);
  if (token.empty()) return cursor->RefuseUnexpected("a data type such as DT_FLOAT");
  if (std::optional<DType> dtype = TypeFromEnumWord(token)) {
    *value = *dtype;
    return true;
  }
  int32_t number = 0;
  if (!HasTwoLeadingZeros(token) && ParseWhole(token, &number)) {
    *value = DTypeFromNumber(number);
    return true;
  }
  std::string text = Quoted(token) + " is not a data type";
  if (std::optional<DType> dtype = TypeFromWord(token)) text += " in a default: write " + EnumWord(*dtype);
  return cursor->RefuseAt(begin, std::move(text));
}

bool ReadString(TextCursor* cursor, std::string* value) {
  const size_t begin = cursor->offset();
  const char quote = cursor->Peek();
  if (quote != '\'' && quote != '"') return cursor->RefuseUnexpected("a quoted string");
  cursor->Take(quote);
  value->clear();
  while (!cursor->AtEnd()) {
    if (cursor->Take(quote)) return true;
    const size_t at = cursor->offset();
    if (!cursor->Take('\\')) {
      *value += cursor->Peek();
      cursor->MoveTo(at + 1);
    } else if (!TakeEscape(cursor, value)) {
      return cursor->RefuseAt(at, "invalid escape in a string");
    }
  }
  return cursor->RefuseAt(begin, "this quote is never closed");
}

namespace {

// [v, v]: not empty, no trailing comma.
bool ReadValues(TextCursor* cursor, const MessageField& field) {
  do {
    cursor->SkipBlanksAndComments();
    if (!field.read(cursor)) return false;
    cursor->SkipBlanksAndComments();
  } while (cursor->Take(','));
  return cursor->Take(']') || cursor->RefuseUnexpected("',' or ']'");
}

// After the name of a field.
bool ReadFieldValue(TextCursor* cursor, const MessageField& field) {
  cursor->SkipBlanksAndComments();
  if (!cursor->Take(':') && !field.is_message) return cursor->RefuseUnexpected("':'");
  cursor->SkipBlanksAndComments();
  if (field.repeated && cursor->Take('[')) return ReadValues(cursor, field);
  return field.read(cursor);
}

}  // namespace

bool ReadMessage(TextCursor* cursor, const std::vector<MessageField>& fields) {
  const char close = cursor->Peek() == '<' ? '>' : '}';
  if (!cursor->Take('{') && !cursor->Take('<')) return cursor->RefuseUnexpected("'{'");
  std::vector<bool> seen(fields.size());
  for (;;) {
    cursor->SkipBlanksAndComments();
    if (cursor->Take(close)) return true;
    const size_t begin = cursor->offset();
    std::string_view name = cursor->TakeWhile(IsNameChar);
    if (name.empty()) return cursor->RefuseUnexpected(close == '}' ? "a field or '}'" : "a field or '>'");
    size_t i = 0;
    while (i < fields.size() && fields[i].name != name) ++i;
    if (i == fields.size()) {
      std::vector<std::string> names;
      for (const MessageField& field : fields) names.emplace_back(field.name);
      return cursor->RefuseAt(
          begin, "there is no field '" + std::string(name) + "' here; " + DidYouMean(name, names, "fields"));
    }
    if (seen[i] && !fields[i].repeated) {
      return cursor->RefuseAt(begin, "field '" + std::string(name) + "' is given twice");
    }
    seen[i] = true;
    if (!ReadFieldValue(cursor, fields[i])) return false;
  }
}

bool IsNameChar(char c) {
  return IsLetter(c) || IsDigit(c) || c == '_';
}

void TextCursor::SkipBlanks() {
  TakeWhile(IsBlank);
}

void TextCursor::SkipBlanksAndComments() {
  SkipBlanks();
  while (Peek() == '#') {
    TakeWhile([](char c) { return c != '\n'; });
    SkipBlanks();
  }
}

bool TextCursor::Take(char expected) {
  if (AtEnd() || text_[offset_] != expected) return false;
  ++offset_;
  return true;
}

bool TextCursor::Take(std::string_view expected) {
  if (!Rest().starts_with(expected)) return false;
  offset_ += expected.size();
  return true;
}

std::string_view TextCursor::TakeWhile(bool (*fits)(char)) {
  const size_t begin = offset_;
  while (!AtEnd() && fits(text_[offset_])) ++offset_;
  return text_.substr(begin, offset_ - begin);
}

std::string_view TextCursor::TakeName() {
  return IsLetter(Peek()) ? TakeWhile(IsNameChar) : std::string_view();
}

std::string_view TextCursor::Here() const {
  if (AtEnd()) return {};
  TextCursor ahead = *this;
  std::string_view word = ahead.TakeWhile(IsNameChar);
  if (!word.empty()) return word;
  size_t size = 1;  // bytes of one UTF-8 character
  while (offset_ + size < text_.size() && IsContinuationByte(text_[offset_ + size])) ++size;
  return text_.substr(offset_, size);
}

std::string TextCursor::Found() const {
  if (AtEnd()) return "the end";
  const auto c = static_cast<unsigned char>(Peek());
  if (c < 0x20 || c == 0x7F) return "character " + std::to_string(c);  // terminals interpret these
  return "'" + std::string(Here()) + "'";
}

bool TextCursor::Refuse(std::string problem) {
  problem_ = std::move(problem);
  return false;
}

bool TextCursor::RefuseAt(size_t offset, std::string problem) {
  MoveTo(offset);
  return Refuse(std::move(problem));
}

bool TextCursor::RefuseUnexpected(std::string_view expected) {
  return Refuse("expected " + std::string(expected) + ", found " + Found());
}

std::string Visible(std::string_view text) {
  std::string visible;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    visible += c == '\n'                  ? "\\n"
               : c == '\t'                ? "\\t"
               : byte < 0x20 || c == 0x7F ? fmt::format("\\x{:02x}", byte)
                                          : std::string(1, c);
  }
  return visible;
}

namespace {

constexpr size_t kShownBefore = 60;  // bytes around the error: a doc or a hostile spec may be long
constexpr size_t kShownAfter = 40;

// Columns that the text takes: each UTF-8 character counts as one.
size_t Width(std::string_view text) {
  return text.size() - static_cast<size_t>(std::count_if(text.begin(), text.end(), IsContinuationByte));
}

// The part of the spec around the error, and a caret under it.
std::string Excerpt(const SpecError& error) {
  const std::string_view spec = error.spec;
  const size_t fault = std::min(error.offset, spec.size());
  size_t begin = fault > kShownBefore ? fault - kShownBefore : 0;
  size_t end = std::min(spec.size(), fault + kShownAfter);
  while (begin > 0 && IsContinuationByte(spec[begin])) --begin;
  while (end < spec.size() && IsContinuationByte(spec[end])) ++end;

  const std::string before = (begin > 0 ? "..." : "") + Visible(spec.substr(begin, fault - begin));
  const std::string after = Visible(spec.substr(fault, end - fault)) + (end < spec.size() ? "..." : "");
  return "    " + before + after + "\n    " + std::string(Width(before), ' ') + "^\n";
}

}  // namespace

std::string SpecErrorsText(const std::string& op, const std::vector<SpecError>& errors) {
  std::string text;
  for (const SpecError& error : errors) {
    const bool of_name = error.what == "op";
    text += fmt::format("op '{}'{}: {}\n", Visible(op), of_name ? "" : ", " + error.what, error.message);
    text += Excerpt(error);
  }
  return text;
}

}  // namespace opsrun::host::spec
