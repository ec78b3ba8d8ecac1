// adapters/common/view.h: tensors as a kernel sees them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "opsrun/embed_host.h"

namespace opsrun_adapter {

// Initializes the view of a tensor that does not exist yet, such as an output before its allocation.
inline void Expect(opsrun_tensor& view, const opsrun_host* host, int32_t dtype, opsrun_dldtype dl, uint32_t flags = 0) {
  view.data = nullptr;
  view.device = {OPSRUN_DEVICE_CPU, 0};
  view.rank = -1;
  view.dl = dl;
  view.shape = nullptr;
  view.strides = nullptr;
  view.byte_offset = 0;
  view.host = host;
  view.flags = OPSRUN_TENSOR_HOST | flags;
  view.dtype = dtype;
}

// Call it after Expect: points the view at dense, row-major memory. shape: must outlive the view; strides: filled in,
// must also outlive it. Has no branch, so that the compiler can merge it with Expect.
inline void Show(opsrun_tensor& view, void* data, int32_t rank, int64_t* shape, int64_t* strides) {
  const bool aligned = reinterpret_cast<uintptr_t>(data) % 64 == 0;
  view.data = data;
  view.rank = rank;
  view.flags = (view.flags & ~OPSRUN_TENSOR_ALIGNED64) | (aligned ? OPSRUN_TENSOR_ALIGNED64 : 0);
  view.shape = rank == 0 ? nullptr : shape;
  view.strides = rank == 0 ? nullptr : strides;
  int64_t stride = 1;
  for (int32_t i = rank; i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i];
  }
}

// Host bit of opsrun_tensor::flags: the view is a Temporary.
inline constexpr uint32_t kTemporary = 1u << 16;

// A reference-counted tensor that a plugin may keep as long as it likes. Owner: a view that owns its memory.
template <typename Owner>
class Temporary : public Owner {
 public:
  // Starts with one reference.
  template <typename... Args>
  explicit Temporary(Args&&... args) : Owner(std::forward<Args>(args)...) {
    this->flags |= kTemporary;
  }
  static Temporary* Of(const opsrun_tensor* t) {  // null if it is another kind of view
    return (t->flags & kTemporary) == 0 ? nullptr : static_cast<Temporary*>(const_cast<opsrun_tensor*>(t));
  }

  void Retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void Release() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  std::atomic<int64_t> references_{1};
};

}  // namespace opsrun_adapter
