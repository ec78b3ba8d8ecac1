// host/plan/explain/attr_help.h: what to write for an attr that is missing or has an invalid value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/spec/op_def.h"

namespace opsrun::host {

// "add it, such as attrs: {padding: 'SAME'}; it may be 'SAME', 'VALID'"
std::string MissingAttrHelp(const spec::AttrDef& attr);

// The values that the attr allows, as a graph writes them without quotes; empty without a set.
std::vector<std::string> AllowedWords(const spec::AttrDef& attr);

// "int", "list(float)", "a data type": after "attr 'x' is".
std::string KindOfAttr(const spec::AttrDef& attr);

}  // namespace opsrun::host
