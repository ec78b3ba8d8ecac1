// host/testing/cut_loops.cc: see cut_loops.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/testing/cut_loops.h"

namespace opsrun::host {
namespace {

int32_t CutFor(opsrun_call*, int64_t n, int64_t, opsrun_range_fn fn, void* ctx) {
  for (int64_t end = n, part = 1; end > 0; end -= part, part = end < 3 ? end : 3) {
    if (const int32_t code = fn(ctx, end - part, end); code != OPSRUN_OK) return code;
  }
  return OPSRUN_OK;
}

int32_t FourThreads(opsrun_call*) {
  return 4;
}

}  // namespace

void CutLoops(opsrun_host& host) {
  host.parallel_for = CutFor;
  host.num_threads = FourThreads;
}

}  // namespace opsrun::host
