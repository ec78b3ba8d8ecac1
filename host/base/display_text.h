// host/base/display_text.h: foreign text as a terminal may show it, and how wide it is there.
//
// Text comes from graphs, plugins and file names; what would steer the terminal, and what is no UTF-8, is shown as
// U+FFFD.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace opsrun::host {

// Not a control character, and not one that turns the writing direction around, so that text reads as something else.
bool IsShown(uint32_t code);

// Columns that a line takes. A tab becomes four blanks.
size_t DisplayWidth(std::string_view line);

// The same text without anything a terminal would obey. Line breaks stay, tabs become blanks.
std::string Printable(std::string_view text);

}  // namespace opsrun::host
