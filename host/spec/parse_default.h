// host/spec/parse_default.h: the text after the '=' of an attr.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/spec/attr_value.h"
#include "host/spec/text_cursor.h"

namespace opsrun::host::spec {

// Parses one value of `type` up to the end of the text. Fails as the functions of read_literal.h do. Whether the attr
// allows the value is not checked here.
bool ParseDefault(TextCursor* cursor, AttrType type, AttrValue* value);

}  // namespace opsrun::host::spec
