// host/spec/read_literal.h: the literals of default texts and of allowed strings, with shapes and tensors.
//
// Each function reads one literal at the cursor and moves past it. On failure it returns false, with the cursor at the
// error and its problem set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string_view>

#include "host/spec/op_def.h"
#include "host/spec/text_cursor.h"

namespace opsrun::host::spec {

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
