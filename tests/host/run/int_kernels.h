// tests/host/run/int_kernels.h: kernels of int32 for tests of runs, and what these are written with.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "opsrun/c_api.h"

namespace opsrun::host {

using Row = std::vector<int32_t>;

inline int32_t* Ints(const opsrun_tensor* t) {
  return static_cast<int32_t*>(t->data);
}
inline int64_t Count(const opsrun_tensor* t) {
  return t->rank == 0 ? 1 : t->shape[0];
}
inline Row RowOf(const opsrun_tensor* t) {
  return {Ints(t), Ints(t) + Count(t)};
}

// Allocates output i for the row, and fills it.
inline int32_t Put(opsrun_call* call, uint32_t i, const Row& row) {
  const auto n = static_cast<int64_t>(row.size());
  opsrun_tensor* out = nullptr;
  if (int32_t code = call->host->allocate_output(call, i, 1, &n, &out)) return code;
  std::copy(row.begin(), row.end(), Ints(out));
  return OPSRUN_OK;
}
// Allocates output 0 like input 0.
inline int32_t AllocateLikeInput(opsrun_call* call, opsrun_tensor** out) {
  return call->host->allocate_output(call, 0, call->in[0]->rank, call->in[0]->shape, out);
}
// Sets output 0 to a temporary of that shape, which fill(temporary) fills.
template <typename Fill>
int32_t SetToTemporary(opsrun_call* call, int32_t rank, const int64_t* shape, const Fill& fill) {
  const opsrun_tensor* temp = nullptr;
  if (int32_t code = call->host->allocate_temp(call, OPSRUN_DT_INT32, rank, shape, 0, &temp)) return code;
  fill(*temp);
  const int32_t code = call->host->set_output(call, 0, temp);
  call->host->release(temp);
  return code;
}

// y[i] = x[i] + 1
inline int32_t AddOne(void*, opsrun_call* call) {
  opsrun_tensor* out = nullptr;
  if (int32_t code = AllocateLikeInput(call, &out)) return code;
  for (int64_t i = 0; i < Count(out); ++i) Ints(out)[i] = Ints(call->in[0])[i] + 1;
  return OPSRUN_OK;
}

}  // namespace opsrun::host
