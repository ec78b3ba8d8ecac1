// host/spec/text_cursor.h: a position in a spec string, which moves forward, the error there, and what all parsers have
// in common.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

// An error in a spec string, and its message for the plugin's author.

// One error in one spec string.
struct SpecError {
  enum class Stage { kParse, kValidate };  // the string alone is invalid, or the op is
  enum class Kind {
    // of a string
    kName,
    kType,
    kListClose,
    kAllowedSeparator,
    kAllowedString,
    kAllowedType,
    kMinimum,
    kDefault,
    kTrailing,
    kTypeSyntax,
    kAttrNotAType,
    kUnknownAttr,
    kRefClose,
    kDocName,
    // of an op
    kOpName,
    kDuplicateName,
    kAttrNamedLikeType,
    kListMinimumNegative,
    kDefaultBelowMinimum,
    kDefaultNotAllowed,
    kWrongAttrKind,
    kNotAType,
    kRefTypeValue,
    kNoLengthAttr,
    kLengthAttrNotInt,
    kLengthMinimumNegative,
    kNumberAndList,
  };

  Stage stage = Stage::kParse;
  Kind kind = Kind::kName;
  std::string what;     // "Attr", "Input", "Output", "ControlOutput", "Doc", "op"
  std::string spec;     // the string at fault
  size_t offset = 0;    // of the character at fault in spec
  std::string message;  // a sentence
};

// The sentences of several errors, each with its spec string and a caret, for a message about a plugin.
std::string SpecErrorsText(const std::string& op, const std::vector<SpecError>& errors);

// The common part of the parsers for one spec string. Private to this room.

class SpecParser {
 protected:
  using Kind = SpecError::Kind;

  // spec is borrowed.
  explicit SpecParser(const std::string& spec) : spec_(spec), cursor_(spec) {}

  // Each records the error and returns false. Here, or at `offset`.
  bool Refuse(Kind kind, std::string message) { return RefuseAt(cursor_.offset(), kind, std::move(message)); }
  bool RefuseAt(size_t offset, Kind kind, std::string message) {
    kind_ = kind;
    return cursor_.RefuseAt(offset, std::move(message));
  }
  bool RefuseUnexpected(Kind kind, std::string_view expected) {
    kind_ = kind;
    return cursor_.RefuseUnexpected(expected);
  }

  // The recorded error. what: the method of the registration, "Input".
  SpecError Error(const std::string& what) const {
    return {SpecError::Stage::kParse, kind_, what, spec_, cursor_.offset(), cursor_.problem()};
  }

  const std::string& spec_;
  TextCursor cursor_;

 private:
  Kind kind_ = Kind::kName;
};

}  // namespace opsrun::host::spec
