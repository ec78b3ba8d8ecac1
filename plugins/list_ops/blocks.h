// plugins/list_ops/blocks.h: a loop over bytes, on the host's threads where that pays.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "opsrun/op_kernel.h"
#include "opsrun/shard.h"

namespace list_ops {

// Calls move(begin, end) on ranges that cover [0, bytes) once, on several threads at once if there are many. Ranges
// begin at multiples of 64 KiB.
template <typename Move>
void ForBytes(opsrun::OpKernelContext* context, int64_t bytes, const Move& move) {
  constexpr int64_t kBlock = 64 << 10;
  constexpr int64_t kBytesPerNanosecond = 8;
  if (bytes <= kBlock) return move(int64_t{0}, bytes);
  const auto workers = *context->device()->tensorflow_cpu_worker_threads();
  opsrun::Shard(workers.num_threads, workers.workers, (bytes - 1) / kBlock + 1, kBlock / kBytesPerNanosecond,
                [&](int64_t begin, int64_t end) { move(begin * kBlock, std::min(end * kBlock, bytes)); });
}

}  // namespace list_ops
