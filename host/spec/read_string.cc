// host/spec/read_string.cc: quoted strings with C escapes.
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include "host/base/utf8.h"
#include "host/spec/read_literal.h"
#include "host/spec/text_cursor.h"

namespace opsrun::host::spec {
namespace {

bool IsOctal(char c) {
  return c >= '0' && c <= '7';
}

// -1 for no hexadecimal digit.
int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The single character that \c stands for, or -1.
int SimpleEscape(char c) {
  constexpr std::string_view kLetters = "abfnrtv\\?'\"";
  constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\?'\"";
  const size_t i = c == '\0' ? std::string_view::npos : kLetters.find(c);
  return i == std::string_view::npos ? -1 : kMeanings[i];
}

bool TakeOctal(TextCursor* cursor, std::string* value) {
  int code = 0;
  for (int digits = 0; digits < 3 && IsOctal(cursor->Peek()); ++digits) {
    code = code * 8 + (cursor->Peek() - '0');
    cursor->MoveTo(cursor->offset() + 1);
  }
  *value += static_cast<char>(code);
  return code <= 0xFF;
}

// \x takes all digits that follow, as C does.
bool TakeHexByte(TextCursor* cursor, std::string* value) {
  std::string_view digits = cursor->TakeWhile([](char c) { return HexValue(c) >= 0; });
  uint32_t code = 0;
  for (char c : digits) {
    code = code * 16 + static_cast<uint32_t>(HexValue(c));
    if (code > 0xFF) return false;
  }
  *value += static_cast<char>(code);
  return !digits.empty();
}

bool TakeUnicode(TextCursor* cursor, size_t digits, std::string* value) {
  uint32_t code = 0;
  for (size_t i = 0; i < digits; ++i) {
    const int digit = HexValue(cursor->Peek());
    if (digit < 0) return false;
    code = code * 16 + static_cast<uint32_t>(digit);
    cursor->MoveTo(cursor->offset() + 1);
  }
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (is_surrogate || code > 0x10FFFF) return false;
  AppendUtf8(code, value);
  return true;
}

// After a backslash.
bool TakeEscape(TextCursor* cursor, std::string* value) {
  if (IsOctal(cursor->Peek())) return TakeOctal(cursor, value);
  if (cursor->Take('x') || cursor->Take('X')) return TakeHexByte(cursor, value);
  if (cursor->Take('u')) return TakeUnicode(cursor, 4, value);
  if (cursor->Take('U')) return TakeUnicode(cursor, 8, value);
  const int meaning = SimpleEscape(cursor->Peek());
  if (meaning < 0) return false;
  *value += static_cast<char>(meaning);
  cursor->MoveTo(cursor->offset() + 1);
  return true;
}

}  // namespace

bool ReadString(TextCursor* cursor, std::string* value, std::string* problem) {
  const size_t begin = cursor->offset();
  const char quote = cursor->Peek();
  if (cursor->AtEnd() || (quote != '\'' && quote != '"')) {
    *problem = "expected a quoted string, found " + cursor->Found();
    return false;
  }
  cursor->Take(quote);
  value->clear();
  while (!cursor->AtEnd()) {
    if (cursor->Take(quote)) return true;
    const size_t at = cursor->offset();
    if (!cursor->Take('\\')) {
      *value += cursor->Peek();
      cursor->MoveTo(at + 1);
    } else if (!TakeEscape(cursor, value)) {
      cursor->MoveTo(at);
      *problem = "this escape is none that a string may hold";
      return false;
    }
  }
  cursor->MoveTo(begin);
  *problem = "this quote is never closed";
  return false;
}

}  // namespace opsrun::host::spec
