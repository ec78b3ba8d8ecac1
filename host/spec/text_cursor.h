// host/spec/text_cursor.h: a position in a spec string that moves forward, errors there, and the common part of
// parsers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/characters.h"

namespace opsrun::host::spec {

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

  // The longest run of characters that `fits` accepts; may be empty.
  std::string_view TakeWhile(bool (*fits)(char));

  // A letter and the name characters after it; empty if there is no letter.
  std::string_view TakeName();

  // The word or the single character at the cursor; empty at the end.
  std::string_view Here() const;

  // For messages, what is at the cursor: "'int32'", "the end".
  std::string Found() const;

  // Records an error here or at `offset`, where the cursor moves to. Returns false.
  bool Refuse(std::string problem);
  bool RefuseAt(size_t offset, std::string problem);
  bool RefuseUnexpected(std::string_view expected);  // "expected a name, found the end"
  const std::string& problem() const { return problem_; }

 private:
  std::string_view text_;
  std::string problem_;
  size_t offset_ = 0;
};

// One error in a spec string.
struct SpecError {
  // What is wrong: two words that tests compare. "parse": the string alone is invalid, because of its name, type,
  // list_close, allowed_separator, allowed_string, allowed_type, minimum, default, trailing, type_syntax,
  // attr_not_a_type, unknown_attr, ref_close or doc_name. "validate": the op as a whole is, because of op_name,
  // duplicate_name, attr_named_like_type, list_minimum_negative, default_below_minimum, default_not_allowed,
  // wrong_attr_kind, not_a_type, ref_type_value, no_length_attr, length_attr_not_int, length_minimum_negative or
  // number_and_list.
  const char* stage = "parse";
  const char* kind = "";
  std::string what;     // "Attr", "Input", "Output", "ControlOutput", "Doc", "op"
  std::string spec;     // the string at fault
  size_t offset = 0;    // of the error in spec
  std::string message;  // a sentence
};

// The offsets of the parts of a spec string, for carets. 0: there is no such part.
struct SpecOffsets {
  size_t minimum = 0, default_value = 0;  // of an attr
  size_t count = 0, type = 0;             // of an argument
};

// On one line, as a terminal shows it: line breaks and other control characters as "\n", "\x1b".
std::string Visible(std::string_view text);

// For a message about a plugin: the sentences of all errors, each with its spec string and a caret.
std::string SpecErrorsText(const std::string& op, const std::vector<SpecError>& errors);

class SpecParser {
 protected:
  // spec must outlive the parser.
  explicit SpecParser(const std::string& spec) : spec_(spec), cursor_(spec) {}

  // Record an error here or at `offset`, and return false.
  bool Refuse(const char* kind, std::string message) { return RefuseAt(cursor_.offset(), kind, std::move(message)); }
  bool RefuseAt(size_t offset, const char* kind, std::string message) {
    kind_ = kind;
    return cursor_.RefuseAt(offset, std::move(message));
  }
  bool RefuseUnexpected(const char* kind, std::string_view expected) {
    kind_ = kind;
    return cursor_.RefuseUnexpected(expected);
  }

  // The recorded error. what: the method of the registration, such as "Input".
  SpecError Error(const std::string& what) const {
    return {"parse", kind_, what, spec_, cursor_.offset(), cursor_.problem()};
  }

  const std::string& spec_;
  TextCursor cursor_;

 private:
  const char* kind_ = "";
};

}  // namespace opsrun::host::spec
