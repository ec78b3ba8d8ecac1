// adapters/jax/native/view.cc
// SPDX-License-Identifier: Apache-2.0
#include "view.h"

#include <algorithm>
#include <cstdlib>
#include <memory>

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

Temporary* Temporary::Make(const opsrun_host* host, const TypeNumbers& type, int32_t rank, const int64_t* dims,
                           size_t bytes) {
  std::unique_ptr<Temporary> made(new (std::nothrow) Temporary);
  const size_t room = std::max<size_t>(64, (bytes + 63) / 64 * 64);
  void* const data = made == nullptr || room < bytes ? nullptr : std::aligned_alloc(64, room);
  if (data == nullptr) return nullptr;
  made->sizes_.assign(dims, dims + rank);
  made->sizes_.resize(2 * static_cast<size_t>(rank));
  SetStrides(rank, made->sizes_.data(), made->sizes_.data() + rank);
  Show(host, type, data, rank, made->sizes_.data(), made->sizes_.data() + rank, kTemporary, *made);
  return made.release();
}

void Temporary::Release() {
  if (references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  std::free(data);
  delete this;
}

}  // namespace opsrun_jax
