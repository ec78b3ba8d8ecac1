// host/threads/parallel_for.h: a loop whose index range the threads of a pool share.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "host/threads/thread_pool.h"

namespace opsrun::host {

// A piece of the loop: works on [begin, end), answers 0 or a code.
using RangeFn = int32_t (*)(void* context, int64_t begin, int64_t end);

// Covers [0, n) once, in blocks that are worth a thread's while: unit_cost_ns is about what one index costs. The caller
// works too. Inside a block, further loops run on their thread alone. After a failure no block is begun; the first
// code that is not 0 is the answer.
int32_t ParallelFor(ThreadPool& pool, int64_t n, int64_t unit_cost_ns, RangeFn fn, void* context);

}  // namespace opsrun::host
