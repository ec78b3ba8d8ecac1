// host/elf/missing_library.h: why a library cannot be loaded that needs another one which is not found or not readable.
// Pure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "host/base/refusal.h"

namespace opsrun::host {

// needed_by: the library that needs it, as the subject of a sentence; empty: the plugin itself does.
Refusal ExplainMissing(std::string_view library, std::string_view needed_by);

// The library is there. error: the errno of opening it.
Refusal ExplainUnreadable(std::string_view library, std::string_view needed_by, int error);

}  // namespace opsrun::host
