// host/spec/read_literal.h: the literals of default texts and of allowed strings.
//
// Each function reads one literal at the cursor and moves past it. On failure it returns false, with the cursor at the
// error and its problem set.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/dtype.h"
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

}  // namespace opsrun::host::spec
