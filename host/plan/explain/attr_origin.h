// host/plan/explain/attr_origin.h: where in the graph an attr of a node got its value. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/plan/planning.h"

namespace opsrun::host {

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
