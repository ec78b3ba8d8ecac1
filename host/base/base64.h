// host/base/base64.h: bytes as text, RFC 4648, section 4.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/base/status.h"

namespace opsrun::host {

std::string EncodeBase64(std::string_view bytes);

// Skips spaces and line breaks. INVALID_ARGUMENT, saying what is wrong after how many characters, for any other
// character, for a text that ends inside of a group of four, and for bits that are left over.
Result<std::string> DecodeBase64(std::string_view text);

}  // namespace opsrun::host
