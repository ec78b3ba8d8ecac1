// host/threads/parallel_for.h: a loop whose index range the threads of a pool share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "host/threads/thread_pool.h"

namespace opsrun::host {

// Works on the part [begin, end) of the loop; returns 0 or a code.
using RangeFn = int32_t (*)(void* context, int64_t begin, int64_t end);

// Covers [0, n) exactly once, in blocks that are large enough for a thread: unit_cost_ns is the approximate time for
// one index. The caller works too. Inside a block, further loops run only on their thread. After a failure no block is
// started; the result is the first code that is not 0.
int32_t ParallelFor(ThreadPool& pool, int64_t n, int64_t unit_cost_ns, RangeFn fn, void* context);

}  // namespace opsrun::host
