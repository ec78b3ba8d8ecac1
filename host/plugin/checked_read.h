// host/plugin/checked_read.h: reads memory that a plugin points to, without faulting.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace opsrun::host {

// Copies n bytes from any address. Returns false if some cannot be read; *to is then undefined. The kernel copies the
// bytes and returns EFAULT instead of raising a signal. Thread-safe.
bool CheckedRead(const void* from, size_t n, void* to);

// The same through a pipe, for systems where a process cannot read itself. Only for CheckedRead and its test.
bool CheckedReadThroughPipe(const void* from, size_t n, void* to);

}  // namespace opsrun::host
