// host/threads/parallel_for.h: a loop whose index range the threads of a pool share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "host/threads/thread_pool.h"

namespace opsrun::host {

// Handles the indices [begin, end); returns 0 or an error code.
using RangeFn = int32_t (*)(void* context, int64_t begin, int64_t end);

// Calls fn for blocks that cover [0, n) exactly once and are large enough for a thread; unit_cost_ns is the approximate
// time per index. The caller works too. Loops inside a block run on its thread only. After a failure, no further block
// is started; the result is the first nonzero code.
int32_t ParallelFor(ThreadPool& pool, int64_t n, int64_t unit_cost_ns, RangeFn fn, void* context);

}  // namespace opsrun::host
