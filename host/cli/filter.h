// host/cli/filter.h: runs a program on bytes in memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/base/status.h"

namespace opsrun::host {

// What the program, a path, writes to its standard output; input: what it reads. Without a shell. words: its name, for
// messages, and its arguments. An error has the first line of what it writes to standard error.
Result<std::string> Filter(const std::string& program, const std::vector<std::string>& words, std::string_view input);

}  // namespace opsrun::host
