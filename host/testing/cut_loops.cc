// host/testing/cut_loops.cc: see cut_loops.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/testing/cut_loops.h"

#include "host/run/host_table.h"

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

const opsrun_host* HostThatCutsLoops(Device& device) {
  auto* const table = const_cast<opsrun_host*>(NewHostTable(device));  // new, and so far nobody else has seen it
  table->parallel_for = CutFor;
  table->num_threads = FourThreads;
  return table;
}

}  // namespace opsrun::host
