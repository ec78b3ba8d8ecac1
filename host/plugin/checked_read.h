// host/plugin/checked_read.h: reads memory that a plugin points to, without ever faulting.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace opsrun::host {

// Copies n bytes at `from`, whatever that address is. False if not all of them can be read; *to is then undefined. The
// kernel copies the bytes and returns EFAULT instead of raising a signal. [any thread]
bool CheckedRead(const void* from, size_t n, void* to);

// The same through a pipe, for systems on which a process cannot read itself. Only CheckedRead calls it; it is declared
// here for its test.
bool CheckedReadThroughPipe(const void* from, size_t n, void* to);

}  // namespace opsrun::host
