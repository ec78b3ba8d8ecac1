// adapters/pytorch/native/table.cc: slots that use PyTorch's memory or threads.
// SPDX-License-Identifier: Apache-2.0
#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>

#include "call.h"

namespace opsrun_torch {

// Copies inputs and outputs, since the program may write to them later.
int32_t Call::Keep(const opsrun_tensor& t, const opsrun_tensor** kept) {
  const TypeNumbers* const type = FindType(t.dtype);
  if (type == nullptr || t.rank < 0) return OPSRUN_FAILED_PRECONDITION;
  try {
    *kept = new Temporary(t.host, *type, CopyOf(t, *type));
    return OPSRUN_OK;
  } catch (const std::exception&) {
    return OPSRUN_RESOURCE_EXHAUSTED;
  }
}

// Blocks take at least 20 microseconds, so that the cost of starting them is small.
int32_t Call::ParallelFor(int64_t n, int64_t unit_cost_ns, opsrun_range_fn fn, void* ctx) {
  constexpr int64_t kBlockNs = 20'000;
  const int64_t grain = std::max<int64_t>(1, kBlockNs / std::max<int64_t>(1, unit_cost_ns));
  std::atomic<int32_t> code{OPSRUN_OK};
  at::parallel_for(0, n, grain, [&](int64_t begin, int64_t end) {
    int32_t fine = OPSRUN_OK;
    if (const int32_t mine = fn(ctx, begin, end); mine != OPSRUN_OK) code.compare_exchange_strong(fine, mine);
  });
  return code;
}

int32_t Call::NumThreads() const {
  return std::max(1, at::get_num_threads());
}

int32_t Call::CurrentThread() const {
  return at::in_parallel_region() ? at::get_thread_num() : -1;
}

}  // namespace opsrun_torch
