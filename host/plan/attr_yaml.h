// host/plan/attr_yaml.h: converts attrs to and from the values of a graph file.
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

// What is invalid, where, and what to write instead.
struct AttrMistake {
  Span where;
  std::string message;
  std::string help;
};

// The value converted to the type of `attr`; nothing, and *mistake, after an error.
std::optional<spec::AttrValue> AttrFromValue(const spec::AttrDef& attr, const Value& value, AttrMistake* mistake);

}  // namespace opsrun::host
