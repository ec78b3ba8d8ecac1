// host/spec/parse_attr.h: one attr: "T: {float, int32} = DT_FLOAT".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "host/spec/op_def.h"
#include "host/spec/text_cursor.h"

namespace opsrun::host::spec {

// The offsets of the parts of an attr in its spec string, for carets. 0: there is no such part.
struct AttrPlaces {
  size_t minimum = 0;
  size_t default_value = 0;
};

// Returns the error of the spec, or nothing. attr->name is set once it is known, even if the rest is invalid.
std::optional<SpecError> ParseAttr(const std::string& spec, AttrDef* attr, AttrPlaces* places);

// Parses one value of `type`, the text after the '=' of an attr, to its end. Fails as the functions of read_literal.h
// do. Does not check whether the attr allows the value.
bool ParseDefault(TextCursor* cursor, AttrType type, AttrValue* value);

}  // namespace opsrun::host::spec
