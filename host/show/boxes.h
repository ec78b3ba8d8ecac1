// host/show/boxes.h: the boxes of feeds, nodes and outputs in a picture.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

#include "host/show/mistakes.h"
#include "host/show/palette.h"
#include "host/show/wiring.h"

namespace opsrun::host {

// Quoted identifiers in the picture. Names of feeds and nodes contain no dot, so these are unique.
std::string FeedId(const Feed& feed, size_t i);
std::string NodeId(const Node& node, size_t i);
std::string OutputId(size_t i);
std::string UnknownId(const std::string& name);

// Each is a statement of the DOT language with its line break.
std::string FeedBox(const std::string& id, const Feed& feed, const std::string& type, const Mistakes& mistakes);
std::string OutputBox(const std::string& id, const GraphOutput& output, const Mistakes& mistakes);
// A source that an input names and that does not exist or has an error.
std::string UnknownBox(const std::string& id, const std::string& name, bool is_there);
// Errors elsewhere in the file.
std::string MistakesBox(const Mistakes& mistakes);

struct NodeLook {
  Shade shade;
  bool sideways = false;  // inputs are on the left instead of above
};
std::string NodeBox(const std::string& id, const Node& node, const ResolvedNode& resolved, const Mistakes& mistakes,
                    const NodeLook& look);

// Where an arrow meets a node with several arguments: ":in1:n" or ":out0:s", or nothing.
std::string InPort(const ResolvedNode& resolved, int arg, bool sideways);
std::string OutPort(const ResolvedNode& resolved, int arg, bool sideways);

}  // namespace opsrun::host
