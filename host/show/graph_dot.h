// host/show/graph_dot.h: the parts of a picture of a graph: resolved references, boxes, and text in the DOT language.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/graph/graph.h"
#include "host/plan/build_plan.h"
#include "host/show/graph_text.h"

namespace opsrun::host {

// The source of an arrow.
struct Source {
  enum class Kind { kNothing, kFeed, kNode };
  Kind kind = Kind::kNothing;  // kNothing: the name is unknown or has an error
  uint32_t index = 0;
  int arg = -1;                  // output argument of a node; -1: unknown
  bool element = false;          // of a list output
  std::vector<uint32_t> values;  // empty if unknown
};

class Wiring {
 public:
  // Both must outlive this object.
  Wiring(const Graph& graph, const Resolution& resolution);

  Source Find(const Reference& reference) const;

  // The result of planning the node; empty if it was not planned.
  const ResolvedNode& Resolved(size_t node) const;

  // "float32 [2, 3]", "3 x float32 [2]", "3 tensors"; empty for none.
  std::string TypeText(const std::vector<uint32_t>& values) const;

 private:
  Source FindOutput(uint32_t node, const Reference& reference) const;

  const Graph& graph_;
  const Resolution& resolution_;
  std::unordered_map<std::string_view, Source> names_;
};

using Mistakes = std::vector<const Diagnostic*>;

// By the places of the errors in the file; warnings are ignored.
struct MistakesByPart {
  std::vector<Mistakes> feeds;    // same order as in the graph
  std::vector<Mistakes> nodes;    // same order
  std::vector<Mistakes> outputs;  // same order
  Mistakes others;                // including those of parts that are missing because of them
};

// The result refers to `diagnostics`.
MistakesByPart SortMistakes(const Graph& graph, const Diagnostics& diagnostics);

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

// The shade of a share of the time: the lightest for less than 1%, the darkest for half and more. They differ in
// lightness, also without colors, and dark text is readable on all of them.
Shade HeatShade(double share);

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
// What the colors of times mean.
std::string TimesBox(const NodeTimes& times);

struct NodeLook {
  Shade shade;
  bool sideways = false;                       // inputs are on the left instead of above
  std::string_view small_words = kSmallWords;  // color
  std::string time;                            // a last line; may be empty
};
std::string NodeBox(const std::string& id, const Node& node, const ResolvedNode& resolved, const Mistakes& mistakes,
                    const NodeLook& look);

// Where an arrow meets a node with several arguments: ":in1:n", ":out0:s", or empty.
std::string InPort(const ResolvedNode& resolved, int arg, bool sideways);
std::string OutPort(const ResolvedNode& resolved, int arg, bool sideways);

// Quotes arbitrary text for Graphviz: names and messages contain text from graphs and plugins, which must not be
// interpreted as syntax.

// "text": an identifier.
std::string DotId(std::string_view text);

// At most `most` characters; truncated text ends with an ellipsis. Control characters and invalid UTF-8 become U+FFFD.
std::string CutText(std::string_view text, size_t most);

// As content of an HTML-like label.
std::string HtmlText(std::string_view text);

// The same on at most `lines` lines of at most `width` characters, broken at spaces where possible. Each line ends with
// a line break.
std::string HtmlLines(std::string_view text, size_t width, size_t lines);

}  // namespace opsrun::host
