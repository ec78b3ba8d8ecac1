// plugins/math_ops/parallel.h: a loop over elements, on the host's threads where that pays.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "opsrun/op_kernel.h"
#include "opsrun/shard.h"
#include "types.h"

namespace math_ops {

// Calls work(begin, end) on ranges that cover [0, n) once, on several threads at once if that pays. `picoseconds` is
// the approximate time for one element. Ranges begin at multiples of 8,192.
template <typename Work>
void ForElements(opsrun::OpKernelContext* context, int64 n, int64 picoseconds, const Work& work) {
  constexpr int64 kBlock = 8192;
  if (n <= kBlock) return n > 0 ? work(int64{0}, n) : void();
  const auto workers = *context->device()->tensorflow_cpu_worker_threads();
  opsrun::Shard(workers.num_threads, workers.workers, (n - 1) / kBlock + 1, kBlock * picoseconds / 1000 + 1,
                [&](int64 begin, int64 end) { work(begin * kBlock, std::min(end * kBlock, n)); });
}

}  // namespace math_ops
