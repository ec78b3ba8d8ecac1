// host/plan/attr_from_value.h: converts a YAML value to the value of a declared attr. Private to this room and to
// testing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "host/yaml/value.h"
#include "host/spec/op_def.h"

namespace opsrun::host {

// What is invalid, where, and what to write instead.
struct AttrMistake {
  Span where;
  std::string message;
  std::string help;
};

// The value, converted to the type of `attr`, or nothing and the error.
std::optional<spec::AttrValue> AttrFromValue(const spec::AttrDef& attr, const Value& value, AttrMistake* mistake);

}  // namespace opsrun::host
