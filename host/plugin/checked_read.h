// host/plugin/checked_read.h: reads memory that a plugin points to, without ever faulting.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace opsrun::host {

// Copies n bytes at `from`, whatever that is. False if not all of them can be read; *to is then undefined. The kernel
// does the copying and answers EFAULT where the program would get a signal. [any thread]
bool CheckedRead(const void* from, size_t n, void* to);

// The same through a pipe, for systems that do not let a process read itself. CheckedRead turns to it alone; it is here
// for its test.
bool CheckedReadThroughPipe(const void* from, size_t n, void* to);

}  // namespace opsrun::host
