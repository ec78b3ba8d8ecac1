// host/plan/explain/attrs.h: what to write for an attr that is missing or invalid, and where in the graph an attr got
// its value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/plan/planning.h"
#include "host/spec/op_def.h"

namespace opsrun::host {

// "add it, such as attrs: {padding: 'SAME'}; it may be 'SAME', 'VALID'"
std::string MissingAttrHelp(const spec::AttrDef& attr);

// The values that the attr allows, as a graph writes them without quotes; empty without a set.
std::vector<std::string> AllowedWords(const spec::AttrDef& attr);

// "int", "list(float)", "a data type": after "attr 'x' is".
std::string KindOfAttr(const spec::AttrDef& attr);

// Where in the graph an attr of a node got its value. Private to this room.

struct AttrOrigin {
  bool written = false;  // the node says it itself, at `where`
  std::string text;      // "comes from 'sum' <- feed 'a'", "is the default"
  Span where;            // of the last link of that chain; unknown for a default
};

// Follows a type from input to input, up to a feed, a written attr or an op that always gives this type.
AttrOrigin FindAttrOrigin(const Planning& p, const Node& node, const spec::OpDef& op, const std::string& attr);

// The same for the data type of what a reference stands for, which must have one: "from 'sum' <- feed 'a'".
AttrOrigin FindTypeOrigin(const Planning& p, const Reference& from);

}  // namespace opsrun::host
