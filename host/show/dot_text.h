// host/show/dot_text.h: any text as Graphviz may read it.
//
// Names and messages hold what the author of a graph or a plugin wrote; nothing of it may become syntax.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace opsrun::host {

// "text": an identifier.
std::string DotId(std::string_view text);

// At most `most` characters, the last of them an ellipsis if some are left out. Control characters and what is no UTF-8
// become U+FFFD.
std::string CutText(std::string_view text, size_t most);

// As content of an HTML-like label.
std::string HtmlText(std::string_view text);

// The same in lines of at most `width` characters where there are blanks to break at, at most `lines` of them, each
// with a line break behind it.
std::string HtmlLines(std::string_view text, size_t width, size_t lines);

}  // namespace opsrun::host
