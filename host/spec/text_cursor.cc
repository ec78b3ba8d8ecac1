// SPDX-License-Identifier: Apache-2.0
#include "host/spec/text_cursor.h"

#include <fmt/format.h>

#include <algorithm>

namespace opsrun::host::spec {

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
