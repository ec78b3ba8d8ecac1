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
  std::string message;  // a clause without subject: "float64 is not one of float32, int32"
};

// The first error of the value, or nothing. An empty list matches every list type.
std::optional<AttrFault> CheckAttrValue(const AttrDef& attr, const AttrValue& value);

// For messages: what the attr allows: "float32, int32", "'a', 'b'"; empty if any value is.
std::string AllowedText(const AttrDef& attr);

// The input that determines an attr; null if the graph sets it.
const ArgDef* InferredFrom(const OpDef& op, const std::string& attr);

// An attr in one line: "int, 1 or more; default 2", "list(type), 3 values or more, each one of int32, int64; given by
// input 'x'", "string; required".
std::string AttrText(const OpDef& op, const AttrDef& attr);

// The type of an argument: "float32", "T", "N * T, a list", "Tin, a list".
std::string ArgTypeText(const ArgDef& arg);

}  // namespace opsrun::host::spec
