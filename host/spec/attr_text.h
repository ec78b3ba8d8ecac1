// host/spec/attr_text.h: an attr described in a line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/spec/op_def.h"

namespace opsrun::host::spec {

// The input that determines an attr; null if the graph sets it.
const ArgDef* InferredFrom(const OpDef& op, const std::string& attr);

// "int, 1 or more; default 2", "list(type), 3 values or more, each one of int32, int64; given by input 'x'",
// "string; must be given".
std::string AttrText(const OpDef& op, const AttrDef& attr);

// The type of an argument: "float32", "T", "N * T, a list", "Tin, a list".
std::string ArgTypeText(const ArgDef& arg);

}  // namespace opsrun::host::spec
