// host/show/boxes.h: the boxes of feeds, nodes and outputs in a picture.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "host/show/wiring.h"

namespace opsrun::host {

// The colors of a picture.
//
// Boxes are light with dark text; lines and text outside boxes are medium gray, and there is no background, so that the
// picture is readable on white and on black. The colors can be distinguished with any color vision (Okabe and Ito), and
// text repeats all information that they carry.

struct Shade {
  std::string_view fill;
  std::string_view line;
};

inline constexpr std::string_view kWords = "#1f2328";       // in boxes
inline constexpr std::string_view kSmallWords = "#57606a";  // in boxes, less important
inline constexpr std::string_view kOutside = "#7d8590";     // lines, and text next to them

inline constexpr Shade kFeedShade = {"#f0f2f4", "#8b949e"};
inline constexpr Shade kOutputShade = {"#ffffff", "#57606a"};
inline constexpr Shade kUnknownShade = {"#f6f8fa", "#a0a8b0"};
inline constexpr Shade kMistakeShade = {"#fbd5cc", "#b3290a"};

// Quoted identifiers. Names of feeds and nodes contain no dot, so these are unique.
std::string FeedId(const Feed& feed, size_t i);
std::string NodeId(const Node& node, size_t i);
std::string OutputId(size_t i);
std::string UnknownId(const std::string& name);

// Each returns a statement of the DOT language, with its line break.
std::string FeedBox(const std::string& id, const Feed& feed, const std::string& type, const Mistakes& mistakes);
std::string OutputBox(const std::string& id, const GraphOutput& output, const Mistakes& mistakes);
// A source that an input names. is_there: it exists but has an error.
std::string UnknownBox(const std::string& id, const std::string& name, bool is_there);
// Errors elsewhere in the file.
std::string MistakesBox(const Mistakes& mistakes);

struct NodeLook {
  Shade shade;
  bool sideways = false;  // inputs are on the left instead of above
};
std::string NodeBox(const std::string& id, const Node& node, const ResolvedNode& resolved, const Mistakes& mistakes,
                    const NodeLook& look);

// Where an arrow meets a node with several arguments: ":in1:n", ":out0:s", or empty.
std::string InPort(const ResolvedNode& resolved, int arg, bool sideways);
std::string OutPort(const ResolvedNode& resolved, int arg, bool sideways);

}  // namespace opsrun::host
