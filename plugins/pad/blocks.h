// plugins/pad/blocks.h: a loop over the parts of an output, on the host's threads where that pays.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "opsrun/op_kernel.h"
#include "opsrun/shard.h"

namespace pad {

// Calls write(begin, end) on ranges that cover [0, total) once, on several threads at once if the output is large. Each
// index is worth `unit_bytes` of output. Ranges begin at multiples of a block, so that hardly two threads share a page.
// [shard]
template <typename Write>
void ForBlocks(opsrun::OpKernelContext* context, int64_t total, int64_t unit_bytes, const Write& write) {
  constexpr int64_t kBlockBytes = 64 << 10;
  constexpr int64_t kBytesPerNanosecond = 8;
  const int64_t block = std::max<int64_t>(kBlockBytes / unit_bytes, 1);
  if (total <= block) return write(int64_t{0}, total);
  const auto workers = *context->device()->tensorflow_cpu_worker_threads();
  const int64_t blocks = (total - 1) / block + 1;
  const int64_t cost = block * unit_bytes / kBytesPerNanosecond + 1;
  opsrun::Shard(workers.num_threads, workers.workers, blocks, cost,
                [&](int64_t begin, int64_t end) { write(begin * block, end == blocks ? total : end * block); });
}
// [/shard]

}  // namespace pad
