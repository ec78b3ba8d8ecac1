// opsrun_compat/str_util.h: str_util::Split, Join and relatives, some of which abseil has too; strings::Printf.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdarg.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/internal/str_cat.h"
#include "opsrun/strings.h"
#include "opsrun_compat/numbers.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace str_util {

struct AllowEmpty {
  bool operator()(std::string_view) const { return true; }
};
struct SkipEmpty {
  bool operator()(std::string_view piece) const { return !piece.empty(); }
};
struct SkipWhitespace {
  bool operator()(std::string_view piece) const { return !internal::WithoutBlanks(piece).empty(); }
};

// Splits the text at every character in `delimiters`.
template <typename Predicate>
std::vector<std::string> Split(StringPiece text, StringPiece delimiters, Predicate keep) {
  std::vector<std::string> pieces;
  for (size_t begin = 0; !text.empty();) {
    const size_t end = std::min(text.find_first_of(delimiters, begin), text.size());
    if (keep(text.substr(begin, end - begin))) pieces.emplace_back(text.substr(begin, end - begin));
    if (end == text.size()) break;
    begin = end + 1;
  }
  return pieces;
}
template <typename Predicate>
std::vector<std::string> Split(StringPiece text, char delimiter, Predicate keep) {
  return Split(text, StringPiece(&delimiter, 1), keep);
}
template <typename Delimiter>
std::vector<std::string> Split(StringPiece text, Delimiter delimiters) {
  return Split(text, delimiters, AllowEmpty());
}
template <typename Number>
bool SplitAndParseAsInts(StringPiece text, char delimiter, std::vector<Number>* numbers) {
  for (const std::string& piece : Split(text, delimiter)) {
    Number number = 0;
    if (!internal::ReadInteger(piece, 10, &number)) return false;
    numbers->push_back(number);
  }
  return true;
}

// append(std::string*, value)
template <typename Range, typename Append>
std::string Join(const Range& range, const char* separator, Append append) {
  std::string text;
  bool is_first = true;
  for (const auto& value : range) {
    if (!is_first) text += separator;
    append(&text, value);
    is_first = false;
  }
  return text;
}
template <typename Range>
std::string Join(const Range& range, const char* separator) {
  return Join(range, separator, [](std::string* text, const auto& value) { strings::StrAppend(text, value); });
}

template <typename Part>  // text or a character
bool StrContains(std::string_view text, const Part& part) {
  return text.find(part) != std::string_view::npos;
}
inline bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}
inline bool EndsWith(std::string_view text, std::string_view suffix) {
  return suffix.size() <= text.size() && text.substr(text.size() - suffix.size()) == suffix;
}
inline bool ConsumePrefix(std::string_view* text, std::string_view prefix) {
  if (!StartsWith(*text, prefix)) return false;
  text->remove_prefix(prefix.size());
  return true;
}
inline bool ConsumeSuffix(std::string_view* text, std::string_view suffix) {
  if (!EndsWith(*text, suffix)) return false;
  text->remove_suffix(suffix.size());
  return true;
}
inline std::string_view StripPrefix(std::string_view text, std::string_view prefix) {
  ConsumePrefix(&text, prefix);
  return text;
}
inline std::string_view StripSuffix(std::string_view text, std::string_view suffix) {
  ConsumeSuffix(&text, suffix);
  return text;
}
inline size_t RemoveWhitespaceContext(std::string_view* text) {
  const size_t before = text->size();
  *text = internal::WithoutBlanks(*text);
  return before - text->size();
}
inline size_t RemoveLeadingWhitespace(std::string_view* text) {
  const size_t n = std::min(text->find_first_not_of(" \t\n\v\f\r"), text->size());
  text->remove_prefix(n);
  return n;
}
inline size_t RemoveTrailingWhitespace(std::string_view* text) {
  const size_t before = text->size();
  *text = text->substr(0, text->find_last_not_of(" \t\n\v\f\r") + 1);
  return before - text->size();
}
inline void StripTrailingWhitespace(std::string* text) {
  text->erase(text->find_last_not_of(" \t\n\v\f\r") + 1);
}
inline std::string Lowercase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return lower;
}
inline std::string Uppercase(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  return upper;
}
inline std::string StringReplace(StringPiece text, StringPiece what, StringPiece with, bool all) {
  std::string out(text);
  for (size_t at = out.find(what); at != std::string::npos; at = out.find(what, at + with.size())) {
    out.replace(at, what.size(), with);
    if (!all) break;
  }
  return out;
}
// Remove a part from the start of the text. False: it does not start with such a part, or the number overflows.
inline bool ConsumeLeadingDigits(std::string_view* text, uint64_t* value) {
  const size_t n = std::min(text->find_first_not_of("0123456789"), text->size());
  if (!internal::ReadInteger(text->substr(0, n), 10, value)) return false;
  text->remove_prefix(n);
  return true;
}
inline bool ConsumeNonWhitespace(std::string_view* text, std::string_view* word) {
  *word = text->substr(0, text->find_first_of(" \t\n\v\f\r"));
  text->remove_prefix(word->size());
  return !word->empty();
}
// Capitalizes the first letter after each delimiter.
inline void TitlecaseString(std::string* text, StringPiece delimiters) {
  bool is_first = true;
  for (char& c : *text) {
    if (is_first && c >= 'a' && c <= 'z') c = static_cast<char>(c - 32);
    is_first = delimiters.find(c) != StringPiece::npos;
  }
}
// Escapes as in a C string literal.
inline std::string CEscape(std::string_view text) {
  constexpr std::string_view kPlain = "\n\r\t\"'\\", kLetters = "nrt\"'\\";
  std::string out;
  for (const char c : text) {
    const size_t at = kPlain.find(c);
    if (at != std::string_view::npos) {
      out.append({'\\', kLetters[at]});
    } else if (c >= ' ' && c <= '~') {
      out += c;
    } else {
      out += internal::Format("\\%03o", static_cast<unsigned char>(c));
    }
  }
  return out;
}
// Converts "ThreeNN" and "three_nn" to "three_nn"; "_" is not doubled.
inline std::string ArgDefCase(StringPiece text) {
  std::string out;
  for (const char c : text) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    if (is_upper && !out.empty() && out.back() != '_') out += '_';
    out += is_upper ? static_cast<char>(c + 32) : c;
  }
  return out;
}

}  // namespace str_util

namespace strings {

__attribute__((format(printf, 1, 2))) inline std::string Printf(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::string text = internal::FormatList(format, arguments);
  va_end(arguments);
  return text;
}
__attribute__((format(printf, 2, 3))) inline void Appendf(std::string* text, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  text->append(internal::FormatList(format, arguments));
  va_end(arguments);
}
inline void Appendv(std::string* text, const char* format, va_list arguments) {
  text->append(internal::FormatList(format, arguments));
}

}  // namespace strings

}  // namespace OPSRUN_HIDDEN
