// host/spec/text_cursor.cc: see text_cursor.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/spec/text_cursor.h"

#include <utility>

#include "host/base/utf8.h"

namespace opsrun::host::spec {

bool IsBlank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
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
  size_t size = 1;  // of one UTF-8 character
  while (offset_ + size < text_.size() && IsContinuationByte(text_[offset_ + size])) ++size;
  return text_.substr(offset_, size);
}

std::string TextCursor::Found() const {
  if (AtEnd()) return "the end";
  const auto c = static_cast<unsigned char>(Peek());
  if (c < 0x20 || c == 0x7F) return "character " + std::to_string(c);  // terminals act on these
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

}  // namespace opsrun::host::spec
