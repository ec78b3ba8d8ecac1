// host/yaml/check_characters.h: is this text at all?
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "host/yaml/reporter.h"

namespace opsrun::host {

// False and an error G001 at the first byte that is not UTF-8, or is a control character that YAML does not allow.
bool CheckCharacters(Reporter& reporter);

// Whether a text without escapes may hold it. Line feeds and tabs may stand in it too.
bool IsPrintable(uint32_t code);

}  // namespace opsrun::host
