// host/spec/read_literal.h: the literals of default texts and of allowed strings.
//
// Each function reads one literal at the cursor and moves past it. On failure it returns false, *problem says what is
// wrong, and the cursor stands at the fault.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "host/base/dtype.h"
#include "host/spec/text_cursor.h"

namespace opsrun::host::spec {

// Decimal digits with a sign, in [lowest, highest]. At most one leading zero.
bool ReadInt(TextCursor* cursor, int64_t lowest, int64_t highest, int64_t* value, std::string* problem);
bool ReadUint(TextCursor* cursor, uint64_t highest, uint64_t* value, std::string* problem);

// All that strtof (strtod) takes whole, rounded to float32 (float64); too large is infinite. At most one leading zero.
bool ReadFloat(TextCursor* cursor, float* value, std::string* problem);
bool ReadDouble(TextCursor* cursor, double* value, std::string* problem);

// true True 1 false False 0.
bool ReadBool(TextCursor* cursor, bool* value, std::string* problem);

// DT_INT32, or the number of a data type, whether or not there is one of that number.
bool ReadType(TextCursor* cursor, DType* value, std::string* problem);

// '..' or "..", with C escapes; the value is bytes.
bool ReadString(TextCursor* cursor, std::string* value, std::string* problem);

}  // namespace opsrun::host::spec
