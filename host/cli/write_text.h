// host/cli/write_text.h: text that a command makes, to a file or to standard output.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/cli/console.h"

namespace opsrun::host {

// To `file`, which appears whole or stays as it was; to standard output if it is empty or "-". False after an error
// (R504).
bool WriteText(std::string_view text, const std::string& file, Console& console);

}  // namespace opsrun::host
