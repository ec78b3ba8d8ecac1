// host/spec/parse_op.h: parses spec strings into an OpDef, with a cursor that moves forward and records errors.
//
// The grammar is that of TensorFlow's op registration; see docs/write_an_op.md. Unknown words that TensorFlow skips
// (after a default, inside braces, after the name of a control output) are errors here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/text.h"
#include "host/spec/op_def.h"

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
  // attr_not_a_type, unknown_attr, ref_close, batch_form, batch_count or doc_name. "validate": the op as a whole is,
  // because of op_name, duplicate_name, attr_named_like_type, list_minimum_negative, default_below_minimum,
  // default_not_allowed, wrong_attr_kind, not_a_type, ref_type_value, no_length_attr, length_attr_not_int,
  // length_minimum_negative or number_and_list.
  const char* stage = "parse";
  const char* kind = "";
  std::string what;     // "Attr", "Input", "Output", "ControlOutput", "Broadcasts", "Batches", "Doc", "op"
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

// Ops.

// An op as written by its author.
struct OpStrings {
  std::string name;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> control_outputs;
  std::vector<std::string> attrs;
  std::string doc;
  std::string batch;
  uint32_t flags = 0;
  uint32_t deprecated_version = 0;
  std::string deprecated_text;
  bool of_later_level = false;  // data types that this host does not know leave the lists of allowed types
};

// Parses the op and returns all errors: those of its strings or, if every string can be parsed, those of the whole op:
// at most one per string, in the order: doc, op name, attrs, inputs, outputs. *op is complete only if there are none.
std::vector<SpecError> ParseOp(const OpStrings& strings, OpDef* op);

// The name, inputs, outputs and attrs of the op; ParseOp makes an op of them that CompareOps and CompareDefaults find
// equal.
OpStrings StringsOf(const OpDef& op);

// The strings of an op, one by one. Each returns the error of the string, or nothing.

// An attr: "T: {float, int32} = DT_FLOAT". attr->name is set once it is known, even if the rest is invalid.
// of_later_level: see OpStrings.
std::optional<SpecError> ParseAttr(const std::string& spec, AttrDef* attr, SpecOffsets* offsets,
                                   bool of_later_level = false);

// One value of `type`, the text after the '=' of an attr, to its end. Fails as the functions for literals
// below do. Does not check whether the attr allows the value.
bool ParseDefault(TextCursor* cursor, AttrType type, AttrValue* value);

// An input or output: "values: N * T". what: "Input" or "Output". attrs: those of the op. The type of an attr without a
// kind, which could not be parsed, is not checked.
std::optional<SpecError> ParseArg(const std::string& spec, const std::string& what, const std::vector<AttrDef>& attrs,
                                  ArgDef* arg, SpecOffsets* offsets);
std::optional<SpecError> ParseControlOutput(const std::string& spec, std::string* name);

// How the op treats batches: "(m,k),(k,n)->(m,n)". Requires: the inputs, outputs and flags of the op are set.
std::optional<SpecError> ParseBatch(const std::string& text, OpDef* op);

// The Doc. Its first non-empty line is the summary; the text up to the first line "name: .." is the description; each
// "name: .." line and the text after it document the input, output or attr of that name. A name that the op does not
// have is an error.
std::optional<SpecError> ParseDoc(const std::string& doc, OpDef* op);

// The literals of default texts and of allowed strings, with shapes and tensors. Each function reads one literal at the
// cursor and moves past it. On failure it returns false, with the cursor at the error and its problem set.

// Decimal digits with a sign, at least `lowest`. No more than one leading zero. T: an integer of 32 or 64 bits.
template <typename T>
bool ReadIntFrom(T lowest, TextCursor* cursor, T* value);
template <typename T>
bool ReadInt(TextCursor* cursor, T* value) {
  return ReadIntFrom(std::numeric_limits<T>::min(), cursor, value);
}

// Everything that strtof (strtod) accepts completely, rounded to float32 (float64); overflow gives infinity. No more
// than one leading zero. T: float or double.
template <typename T>
bool ReadFloat(TextCursor* cursor, T* value);

// true True 1 false False 0.
bool ReadBool(TextCursor* cursor, bool* value);

// DT_INT32, or any number, even if it is not that of a data type.
bool ReadType(TextCursor* cursor, DType* value);

// '..' or "..", with C escapes; the value is bytes.
bool ReadString(TextCursor* cursor, std::string* value);

// Messages in braces in the texts of defaults: "{ dim { size: 2 } }".
//
// Unlike in TensorFlow, an unknown field is an error.

// A field that a message may have. read: parses one value at the cursor, and fails as the functions above do.
struct MessageField {
  std::string_view name;
  bool is_message = false;  // its value is in braces; the colon is optional
  bool repeated = false;    // may occur again, and as a list
  std::function<bool(TextCursor*)> read;
};

// Parses { FIELD.. } or < FIELD.. >, in any order, with whitespace and comments between tokens. Fails as the functions
// above do.
bool ReadMessage(TextCursor* cursor, const std::vector<MessageField>& fields);

// { dim { size: 2 } dim { size: -1 } }, or { unknown_rank: true }. A size below -1 and a rank above OPSRUN_MAX_RANK are
// errors.
bool ReadShape(TextCursor* cursor, PartialShape* shape);
// { dtype: DT_INT32 tensor_shape { dim { size: 2 } } int_val: [1, 2] }. With fewer values than elements, the last one
// is repeated; without values, all elements are zero. Also errors: no dtype, more values than elements, values in the
// field of another data type, and more than 16 MiB.
bool ReadTensor(TextCursor* cursor, TensorValue* tensor);

}  // namespace opsrun::host::spec
