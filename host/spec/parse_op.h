// host/spec/parse_op.h: parses spec strings into an OpDef.
//
// The grammar is that of TensorFlow's op registration; see docs/write_an_op.md. Unknown words that TensorFlow skips
// (after a default, inside braces, after the name of a control output) are errors here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/spec/op_def.h"
#include "host/spec/text_cursor.h"

namespace opsrun::host::spec {

// An op as written by its author.
struct OpStrings {
  std::string name;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> control_outputs;
  std::vector<std::string> attrs;
  std::string doc;
  uint32_t flags = 0;
  uint32_t deprecated_version = 0;
  std::string deprecated_text;
};

// Parses the op and returns all errors: those of its strings or, if every string can be parsed, those of the whole op:
// at most one per string, in the order: doc, op name, attrs, inputs, outputs. *op is complete only if there are none.
std::vector<SpecError> ParseOp(const OpStrings& strings, OpDef* op);

// The strings of an op, one by one. Each returns the error of the string, or nothing.

// An attr: "T: {float, int32} = DT_FLOAT". attr->name is set once it is known, even if the rest is invalid.
std::optional<SpecError> ParseAttr(const std::string& spec, AttrDef* attr, SpecOffsets* offsets);

// One value of `type`, the text after the '=' of an attr, to its end. Fails as the functions for literals
// below do. Does not check whether the attr allows the value.
bool ParseDefault(TextCursor* cursor, AttrType type, AttrValue* value);

// An input or output: "values: N * T". what: "Input" or "Output". attrs: those of the op. The type of an attr without a
// kind, which could not be parsed, is not checked.
std::optional<SpecError> ParseArg(const std::string& spec, const std::string& what, const std::vector<AttrDef>& attrs,
                                  ArgDef* arg, SpecOffsets* offsets);
std::optional<SpecError> ParseControlOutput(const std::string& spec, std::string* name);

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
