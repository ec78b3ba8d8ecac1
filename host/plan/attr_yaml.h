// host/plan/attr_yaml.h: attrs as a graph file writes them, and back.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "host/spec/op_def.h"
#include "host/yaml/value.h"

namespace opsrun::host {

// 3, [float32, int8], {value: [1, 2], dtype: int32}. Nothing for what a graph cannot express: a shape of unknown rank,
// a tensor of shape [0, 2].
std::optional<Value> AttrYaml(const spec::AttrValue& value);

// Converts a YAML value to the value of a declared attr. Private to this room and to
// testing.

// What is invalid, where, and what to write instead.
struct AttrMistake {
  Span where;
  std::string message;
  std::string help;
};

// The value, converted to the type of `attr`, or nothing and the error.
std::optional<spec::AttrValue> AttrFromValue(const spec::AttrDef& attr, const Value& value, AttrMistake* mistake);

}  // namespace opsrun::host
