// host/cli/measure/machine.h: what this machine can do, measured: copying memory, and multiplying.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "host/threads/thread_pool.h"

namespace opsrun::host {

// Nanoseconds that memcpy takes for `bytes` bytes, which reads and writes as many: the median, on one thread or on all
// threads of the pool, whichever is faster. 0 without enough memory.
double CopyNs(size_t bytes, ThreadPool& pool);

// Nanoseconds that memset takes for `bytes` bytes, in the same way: the least. 0 for no bytes, or without enough
// memory.
double FillNs(size_t bytes, ThreadPool& pool);

// Floating-point operations a second of fused multiply-adds in registers, on all threads of the pool, with the fastest
// vectors of this processor that the program knows. wide: of float64, not float32.
double PeakFlops(bool wide, ThreadPool& pool);

}  // namespace opsrun::host
