// host/spec/parse_default.h: the text after the '=' of an attr.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/spec/attr_value.h"
#include "host/spec/text_cursor.h"

namespace opsrun::host::spec {

// Reads one value of `type`, and nothing else, up to the end of the text. On failure it returns false, *problem says
// what is wrong, and the cursor stands at the fault. Whether the attr allows the value is not asked here.
bool ParseDefault(TextCursor* cursor, AttrType type, AttrValue* value, std::string* problem);

}  // namespace opsrun::host::spec
