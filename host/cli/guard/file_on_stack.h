// host/cli/guard/file_on_stack.h: finds the loaded file whose code a thread is running.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace opsrun::host {

// The texts belong to the dynamic linker and are valid until the file is closed. These functions take the dynamic
// linker's lock and do not allocate.

// The file that contains `address`; empty if there is none.
std::string_view FileAt(const void* address);

// True if `address` is in this program.
bool IsOurs(const void* address);

// The innermost file on the calling thread's stack that is neither the program nor part of the system; may be empty.
std::string_view FileOnStack();

}  // namespace opsrun::host
