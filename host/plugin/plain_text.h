// host/plugin/plain_text.h: checks whether a text from a plugin can be printed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace opsrun::host {

// True for valid UTF-8 without control characters, except newlines and tabs. Such a text can be used in messages and
// JSON.
bool IsPlainText(std::string_view text);

// True for plain text on one line that is not empty, such as a name.
bool IsPlainName(std::string_view text);

}  // namespace opsrun::host
