// host/cli/problem/ended_child.h: how a process ended that ran code of a plugin.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace opsrun::host {

// "SIGSEGV", "exit status 1". status: of waitpid.
std::string EndWord(int status);

// What the report of its crash, or of a sanitizer, says, with the signal, or else "the process ended: SIGKILL". said: a
// file with all that it wrote to standard error, with reports as JSON (SetCrashFormat).
std::string EndText(int said, int status);

}  // namespace opsrun::host
