// host/cli/named_files.h: files that the words of a command name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/cli/console.h"

namespace opsrun::host {

// False after an error (P102) that says why not.
bool CanRead(const std::string& file, Console& console);

// To `file`, which appears whole or stays as it was; to standard output if it is empty or "-". False after an error
// (R504).
bool WriteText(std::string_view text, const std::string& file, Console& console);

}  // namespace opsrun::host
