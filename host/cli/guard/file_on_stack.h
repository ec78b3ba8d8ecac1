// host/cli/guard/file_on_stack.h: whose code a thread runs, by the files that the dynamic linker has loaded.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace opsrun::host {

// The texts belong to the dynamic linker, and live until the file is closed. These take its lock, and do not allocate.

// The file that `address` lies in; empty: in none.
std::string_view FileAt(const void* address);

// `address` lies in this program.
bool IsOurs(const void* address);

// The file of the calling thread's innermost frame that is neither the program's nor the system's; empty: there is none.
std::string_view FileOnStack();

}  // namespace opsrun::host
