// host/spec/check_attr.h: checks whether an attr can have a value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "host/spec/op_def.h"

namespace opsrun::host::spec {

struct AttrFault {
  enum class Kind { kWrongAttrKind, kRefTypeValue, kNotAType, kBelowMinimum, kNotAllowed };

  Kind kind = Kind::kWrongAttrKind;
  std::string message;  // a clause without subject: "float64 is none of float32, int32"
};

// The first error of the value, or nothing. An empty list fits every list.
std::optional<AttrFault> CheckAttrValue(const AttrDef& attr, const AttrValue& value);

// What the attr allows, for messages: "float32, int32", "'a', 'b'"; empty without a set.
std::string AllowedText(const AttrDef& attr);

// An attr described in a line.

// The input that determines an attr; null if the graph sets it.
const ArgDef* InferredFrom(const OpDef& op, const std::string& attr);

// "int, 1 or more; default 2", "list(type), 3 values or more, each one of int32, int64; given by input 'x'",
// "string; must be given".
std::string AttrText(const OpDef& op, const AttrDef& attr);

// The type of an argument: "float32", "T", "N * T, a list", "Tin, a list".
std::string ArgTypeText(const ArgDef& arg);

}  // namespace opsrun::host::spec
