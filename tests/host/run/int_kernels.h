// tests/host/run/int_kernels.h: kernels of int32 for tests of runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "opsrun/c_api.h"

namespace opsrun::host {

inline int32_t* Ints(const opsrun_tensor* t) {
  return static_cast<int32_t*>(t->data);
}
inline int64_t Count(const opsrun_tensor* t) {
  return t->rank == 0 ? 1 : t->shape[0];
}

// y[i] = x[i] + 1
inline int32_t AddOne(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  const opsrun_tensor* in = call->in[0];
  if (int32_t code = call->host->allocate_output(call, 0, in->rank, in->shape, &out)) return code;
  for (int64_t i = 0; i < Count(in); ++i) Ints(out)[i] = Ints(in)[i] + 1;
  return OPSRUN_OK;
}

}  // namespace opsrun::host
