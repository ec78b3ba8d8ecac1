// plugins/string_to_number/ranges.h: a loop over elements, on the host's threads where that pays.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/op_kernel.h"
#include "opsrun/shard.h"

namespace string_to_number {

// Calls work(begin, end) on ranges that cover [0, total) once.
template <typename Work>
void ForRanges(opsrun::OpKernelContext* context, opsrun::int64 total, const Work& work) {
  constexpr opsrun::int64 kNanosecondsPerElement = 50;
  const auto workers = *context->device()->tensorflow_cpu_worker_threads();
  opsrun::Shard(workers.num_threads, workers.workers, total, kNanosecondsPerElement, work);
}

}  // namespace string_to_number
