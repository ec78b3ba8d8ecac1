// host/show/dot_text.h: quotes arbitrary text for Graphviz.
//
// Names and messages contain text of the author of a graph or a plugin, which must not be interpreted as syntax.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace opsrun::host {

// "text": an identifier.
std::string DotId(std::string_view text);

// At most `most` characters; the last one is an ellipsis if text is cut off. Control characters and invalid UTF-8
// become U+FFFD.
std::string CutText(std::string_view text, size_t most);

// As content of an HTML-like label.
std::string HtmlText(std::string_view text);

// The same in at most `lines` lines of at most `width` characters, broken at spaces where possible. Each line ends with
// a line break.
std::string HtmlLines(std::string_view text, size_t width, size_t lines);

}  // namespace opsrun::host
