// adapters/jax/native/view.h: buffers of XLA, and temporary memory, as a kernel sees them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <new>
#include <vector>

#include "opsrun/embed_host.h"
#include "types.h"

namespace opsrun_jax {

// Sets the strides of a dense, row-major tensor and returns its number of elements.
inline int64_t SetStrides(int32_t rank, const int64_t* shape, int64_t* strides) {
  int64_t n = 1;
  for (int32_t i = rank; i-- > 0;) {
    strides[i] = n;
    n *= shape[i];
  }
  return n;
}

// A view of memory that somebody else owns. shape and strides are not copied.
inline void Show(const opsrun_host* host, const TypeNumbers& type, void* data, int32_t rank, int64_t* shape,
                 int64_t* strides, uint32_t flags, opsrun_tensor& view) {
  view.data = data;
  view.device = {OPSRUN_DEVICE_CPU, 0};
  view.rank = rank;
  view.dl = type.dl;
  view.shape = rank == 0 ? nullptr : shape;
  view.strides = rank == 0 ? nullptr : strides;
  view.byte_offset = 0;
  view.host = host;
  view.flags = flags | OPSRUN_TENSOR_HOST | (reinterpret_cast<uintptr_t>(data) % 64 == 0 ? OPSRUN_TENSOR_ALIGNED64 : 0);
  view.dtype = type.opsrun;
}

// The number of bytes of a shape. Returns false if a size is negative, the rank is wrong, or there are too many.
bool CountBytes(const TypeNumbers& type, int32_t rank, const int64_t* dims, size_t& bytes);

// Host bit of opsrun_tensor::flags: the view is a Temporary.
inline constexpr uint32_t kTemporary = 1u << 16;

// A tensor with memory of its own that the plugin holds by reference, for as long as it likes.
class Temporary : public opsrun_tensor {
 public:
  // With one reference; the contents are undefined. Null: there is no memory.
  static Temporary* Make(const opsrun_host* host, const TypeNumbers& type, int32_t rank, const int64_t* dims,
                         size_t bytes);
  static Temporary* Of(const opsrun_tensor* t) {  // null: it is another view
    return (t->flags & kTemporary) == 0 ? nullptr : static_cast<Temporary*>(const_cast<opsrun_tensor*>(t));
  }

  void Retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void Release();

 private:
  Temporary() : opsrun_tensor{} {}

  std::atomic<int64_t> references_{1};
  std::vector<int64_t> sizes_;  // shape, then strides
};

}  // namespace opsrun_jax
