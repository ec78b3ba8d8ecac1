// adapters/pytorch/native/view.h: tensors of PyTorch as a kernel sees them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>

#include <atomic>

#include "opsrun/embed.h"
#include "types.h"

namespace opsrun_torch {

// A view of a dense tensor in CPU memory, which it keeps. Its address is the tensor's handle, so it never moves.
class View : public opsrun_tensor {
 public:
  View() : opsrun_tensor{} {}
  View(const View&) = delete;

  // An output that is not allocated yet.
  void Expect(const opsrun_host* host, const TypeNumbers& type);
  // Requires: dense, row-major, aligned, and at most OPSRUN_MAX_RANK dimensions.
  void Show(const opsrun_host* host, const TypeNumbers& type, at::Tensor tensor);
  const at::Tensor& tensor() const { return tensor_; }
  at::Tensor Take() { return std::move(tensor_); }

 private:
  at::Tensor tensor_;
  c10::SmallVector<int64_t, 5> strides_;  // PyTorch's own differ where a size is 1
};

// Host bit of opsrun_tensor::flags: the view is a Temporary.
inline constexpr uint32_t kTemporary = 1u << 16;

// A tensor that the plugin holds by reference, for as long as it likes.
class Temporary : public View {
 public:
  // With one reference.
  static const opsrun_tensor* Make(const opsrun_host* host, const TypeNumbers& type, at::Tensor tensor);
  static Temporary* Of(const opsrun_tensor* t);  // null: it is another view

  void Retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void Release() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  std::atomic<int64_t> references_{1};
};

// Throws like PyTorch's own allocator; the contents are undefined.
at::Tensor NewTensor(const TypeNumbers& type, c10::IntArrayRef sizes);
// A copy of any view's elements.
at::Tensor CopyOf(const opsrun_tensor& view, const TypeNumbers& type);

}  // namespace opsrun_torch
