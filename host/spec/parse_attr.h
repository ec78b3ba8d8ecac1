// host/spec/parse_attr.h: one attr: "T: {float, int32} = DT_FLOAT".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "host/spec/op_def.h"
#include "host/spec/text_cursor.h"

namespace opsrun::host::spec {

// The offsets of the parts of an attr in its spec string, for carets. 0: it has no such part.
struct AttrPlaces {
  size_t minimum = 0;
  size_t default_value = 0;
};

// The error of the spec, or nothing. attr->name is set as soon as it is known, even if the rest is wrong.
std::optional<SpecError> ParseAttr(const std::string& spec, AttrDef* attr, AttrPlaces* places);

// The text after the '=' of an attr.

// Parses one value of `type` up to the end of the text. Fails as the functions of read_literal.h do. Whether the attr
// allows the value is not checked here.
bool ParseDefault(TextCursor* cursor, AttrType type, AttrValue* value);

}  // namespace opsrun::host::spec
