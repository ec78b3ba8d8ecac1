// host/tensor/string_text.h: bytes of a string tensor as text that is safe to show.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace opsrun::host {

// As Python's repr spells a str: 'it is', "it's". Control characters and bytes that are no UTF-8 become \n, \x1b.
std::string QuotedText(std::string_view text);

// The same without quotes, and with line breaks and tabs as they are: for a text that stands alone.
std::string UnquotedText(std::string_view text);

}  // namespace opsrun::host
