// host/cli/refused_file.h: what is said of a plugin file that was named and cannot be used.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/cli/console.h"

namespace opsrun::host {

// An error with this code; help may be empty.
void RefuseFile(Console& console, Code code, std::string message, std::string help);

// False after an error (P102) that says why not.
bool CanRead(const std::string& file, Console& console);

}  // namespace opsrun::host
