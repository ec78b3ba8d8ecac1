// host/plan/explain/attrs.h: help for a missing or invalid attr, and where in the graph an attr got its value. Private
// to this library.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/plan/planning.h"
#include "host/spec/op_def.h"

namespace opsrun::host {

// "add it, such as attrs: {padding: 'SAME'}; it may be 'SAME', 'VALID'"
std::string MissingAttrHelp(const spec::AttrDef& attr);

// The allowed values as a graph writes them, without quotes; empty if any value is allowed.
std::vector<std::string> AllowedWords(const spec::AttrDef& attr);

// "int", "list(float)", "a data type", to follow "attr 'x' is".
std::string KindOfAttr(const spec::AttrDef& attr);

struct AttrOrigin {
  bool written = false;  // the node sets it, at `where`
  std::string text;      // "comes from 'sum' <- feed 'a'", "is the default"
  Span where;            // the end of that chain; unknown for a default
};

// Follows a type from input to input, to a feed, a written attr, or an op that always gives this type.
AttrOrigin FindAttrOrigin(const Planning& p, const Node& node, const spec::OpDef& op, const std::string& attr);

// The same for the data type of a reference, which must be known: "from 'sum' <- feed 'a'".
AttrOrigin FindTypeOrigin(const Planning& p, const Reference& from);

}  // namespace opsrun::host
