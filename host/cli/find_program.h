// host/cli/find_program.h: where a program is that opsrun starts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace opsrun::host {

// The absolute path of a program in the folders of PATH, or an empty text. Entries that are relative to the current
// folder are left out: a graph of somebody else may lie there, with a program beside it.
std::string FindProgram(const std::string& name);

}  // namespace opsrun::host
