// opsrun/shard.h: Shard, a parallel loop on the threads of the host.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/namespace.h"
#include "opsrun/op_kernel_context.h"
#include "opsrun/thread_pool.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

inline void Shard(int max_parallelism, thread::ThreadPool* workers, int64 total, int64 cost_per_unit,
                  const internal::LoopBody& work) {
  if (total <= 0) return;
  if (max_parallelism <= 1) return work(int64{0}, total);
  if (max_parallelism >= workers->NumThreads()) return workers->ParallelFor(total, cost_per_unit, work);
  const int64 blocks = total < max_parallelism ? total : max_parallelism;
  const int64 size = (total + blocks - 1) / blocks;
  const auto run_blocks = [&](int64 begin, int64 end) { work(begin * size, end * size < total ? end * size : total); };
  const int64 used = (total + size - 1) / size;
  workers->ParallelFor(used, cost_per_unit > kint64max / size ? kint64max : cost_per_unit * size, run_blocks);
}

// Calls work(begin, end) on disjoint ranges that cover [0, total), on at most max_parallelism threads including the
// caller's. Returns when all ranges are done. cost_per_unit: the approximate time for one index, in nanoseconds. If
// total is 0, work is not called.
template <typename Work>
void Shard(int max_parallelism, thread::ThreadPool* workers, int64 total, int64 cost_per_unit, const Work& work) {
  Shard(max_parallelism, workers, total, cost_per_unit, internal::LoopBody(work));
}
// The same on all threads that the kernel may use.
template <typename Work>
void Shard(OpKernelContext* context, int64 total, int64 cost_per_unit, const Work& work) {
  const auto workers = *context->device()->tensorflow_cpu_worker_threads();
  Shard(workers.num_threads, workers.workers, total, cost_per_unit, internal::LoopBody(work));
}

}  // namespace OPSRUN_HIDDEN
