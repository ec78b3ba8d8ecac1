// host/yaml/check_characters.h: checks that a text is valid UTF-8 without forbidden characters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "host/yaml/reporter.h"

namespace opsrun::host {

// False and an error G001 at the first byte that is not UTF-8, or at a control character that YAML does not allow.
bool CheckCharacters(Reporter& reporter);

// True if a text without escapes may contain it. Line feeds and tabs are also allowed.
bool IsPrintable(uint32_t code);

}  // namespace opsrun::host
