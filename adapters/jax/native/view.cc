// adapters/jax/native/view.cc
// SPDX-License-Identifier: Apache-2.0
#include "view.h"

#include <algorithm>

namespace opsrun_jax {

bool CountBytes(const TypeNumbers& type, int32_t rank, const int64_t* dims, size_t& bytes) {
  if (rank < 0 || rank > OPSRUN_MAX_RANK) return false;
  if (std::any_of(dims, dims + rank, [](int64_t size) { return size < 0; })) return false;
  if (std::find(dims, dims + rank, 0) != dims + rank) {
    bytes = 0;
    return true;
  }
  int64_t n = static_cast<int64_t>(type.bytes());
  for (int32_t i = 0; i < rank; ++i) {
    if (__builtin_mul_overflow(n, dims[i], &n)) return false;
  }
  bytes = static_cast<size_t>(n);
  return true;
}

Owner::Owner(const opsrun_host* its_host, const TypeNumbers& type, int32_t its_rank, const int64_t* dims, size_t bytes)
    : sizes_(dims, dims + its_rank) {
  sizes_.resize(2 * sizes_.size());
  opsrun_adapter::Expect(*this, its_host, type.opsrun, type.dl);
  opsrun_adapter::Show(*this, std::aligned_alloc(64, (bytes / 64 + 1) * 64), its_rank, sizes_.data(),
                       sizes_.data() + its_rank);
}

}  // namespace opsrun_jax
