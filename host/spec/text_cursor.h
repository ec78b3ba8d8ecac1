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

bool IsBlank(char c);     // whitespace as in C, including line breaks
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
  enum class Stage { kParse, kValidate };  // the string alone is invalid, or the op as a whole
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
  size_t offset = 0;    // of the error in spec
  std::string message;  // a sentence
};

// For a message about a plugin: the sentences of all errors, each with its spec string and a caret.
std::string SpecErrorsText(const std::string& op, const std::vector<SpecError>& errors);

class SpecParser {
 protected:
  using Kind = SpecError::Kind;

  // spec must outlive the parser.
  explicit SpecParser(const std::string& spec) : spec_(spec), cursor_(spec) {}

  // Record an error here or at `offset`, and return false.
  bool Refuse(Kind kind, std::string message) { return RefuseAt(cursor_.offset(), kind, std::move(message)); }
  bool RefuseAt(size_t offset, Kind kind, std::string message) {
    kind_ = kind;
    return cursor_.RefuseAt(offset, std::move(message));
  }
  bool RefuseUnexpected(Kind kind, std::string_view expected) {
    kind_ = kind;
    return cursor_.RefuseUnexpected(expected);
  }

  // The recorded error. what: the method of the registration, such as "Input".
  SpecError Error(const std::string& what) const {
    return {SpecError::Stage::kParse, kind_, what, spec_, cursor_.offset(), cursor_.problem()};
  }

  const std::string& spec_;
  TextCursor cursor_;

 private:
  Kind kind_ = Kind::kName;
};

}  // namespace opsrun::host::spec
