// host/plugin/plain_text.h: is this text from a plugin fit to be printed?
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace opsrun::host {

// True for whole UTF-8 without control characters; line breaks and tabs are allowed. What passes can be put into
// messages and JSON.
bool IsPlainText(std::string_view text);

// True for plain text on one line that is not empty: a name.
bool IsPlainName(std::string_view text);

}  // namespace opsrun::host
