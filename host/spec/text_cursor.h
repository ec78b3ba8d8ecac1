// host/spec/text_cursor.h: a position in a spec string, which moves forward, and the error there.
//
// Borrows the text. The language is ASCII: bytes above 127 are never letters, digits or spaces, independent of the
// locale.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "host/base/characters.h"

namespace opsrun::host::spec {

bool IsBlank(char c);     // what C calls a space, including line breaks
bool IsNameChar(char c);  // letter, digit or '_'

class TextCursor {
 public:
  explicit TextCursor(std::string_view text) : text_(text) {}

  size_t offset() const { return offset_; }
  bool AtEnd() const { return offset_ == text_.size(); }
  char Peek() const { return AtEnd() ? '\0' : text_[offset_]; }
  std::string_view Rest() const { return text_.substr(offset_); }

  void MoveTo(size_t offset) { offset_ = offset; }  // requires: offset <= size of the text
  void SkipBlanks();
  void SkipBlanksAndComments();  // a comment: '#' to the end of its line

  // If the text continues with `expected`, moves past it and returns true.
  bool Take(char expected);
  bool Take(std::string_view expected);

  // The longest run of characters for which `fits` is true; may be empty.
  std::string_view TakeWhile(bool (*fits)(char));

  // A letter and the name characters that follow; empty if there is no letter.
  std::string_view TakeName();

  // The word at the cursor, or the one character; empty at the end.
  std::string_view Here() const;

  // What was found, for messages: "'int32'", "the end".
  std::string Found() const;

  // Records an error in the text, here or at `offset`, to which the cursor moves. Returns false.
  bool Refuse(std::string problem);
  bool RefuseAt(size_t offset, std::string problem);
  bool RefuseUnexpected(std::string_view expected);  // "expected a name, found the end"
  const std::string& problem() const { return problem_; }

 private:
  std::string_view text_;
  std::string problem_;
  size_t offset_ = 0;
};

}  // namespace opsrun::host::spec
