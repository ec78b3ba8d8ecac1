// host/cli/guard/thread_stack.h: the stack of a thread: whose code is on it, and one more for signal handlers, which
// must also run after an overflow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace opsrun::host {

// Sets an alternate stack for the calling thread, unless it has one or memory is exhausted. It is freed when the thread
// ends.
void MakeAlternateStack();

// The same for the main thread, in static memory. [main thread]
void SetAlternateStackOfMainThread();

// The functions below take the dynamic linker's lock and do not allocate. The texts belong to the dynamic linker and
// are valid until the file is closed.

// The file that contains `address`; empty if there is none.
std::string_view FileAt(const void* address);

// True if `address` is in this program.
bool IsOurs(const void* address);

// The innermost file on the calling thread's stack that is neither the program nor part of the system; may be empty.
std::string_view FileOnStack();

}  // namespace opsrun::host
