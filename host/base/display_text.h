// host/base/display_text.h: foreign text as a terminal may show it, and how wide it is there.
//
// Text comes from graphs, plugins and file names. Characters that would control the terminal, and invalid UTF-8, are
// shown as U+FFFD.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace opsrun::host {

// False for control characters, and for characters that change the writing direction and so disguise the text.
bool IsShown(uint32_t code);

// Columns that a line takes. A tab becomes four spaces.
size_t DisplayWidth(std::string_view line);

// The same text without control sequences. Line breaks are kept, tabs become spaces.
std::string Printable(std::string_view text);

}  // namespace opsrun::host
