// host/show/graph_dot.h: a graph as a picture in Graphviz's DOT language.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "host/base/diagnostic.h"
#include "host/graph/graph.h"
#include "host/plan/resolution.h"

namespace opsrun::host {

// A digraph: feeds, nodes and outputs are boxes, references are arrows with types and shapes, and `after` is a dashed
// arrow. Parts with errors are red and show the messages. A node has the color of its device; a legend lists the
// devices if there are several.
std::string GraphDot(const Graph& graph, const Resolution& resolution, const Diagnostics& diagnostics);

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
