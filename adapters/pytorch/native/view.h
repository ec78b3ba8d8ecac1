// adapters/pytorch/native/view.h: PyTorch tensors as a kernel sees them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>

#include <utility>

#include "adapters/common/view.h"
#include "opsrun/embed_host.h"
#include "types.h"

namespace opsrun_torch {

// A view of a dense tensor in CPU memory. Its address is the tensor's handle, so it must not move.
class View : public opsrun_tensor {
 public:
  // Views an output before its allocation, or a tensor that is set later.
  View(const opsrun_host* its_host, const TypeNumbers& type) {
    opsrun_adapter::Expect(*this, its_host, type.opsrun, type.dl);
  }
  View(const View&) = delete;

 protected:
  // sizes: must outlive the view.
  void ShowAt(void* its_data, c10::IntArrayRef sizes) {
    strides_.resize_for_overwrite(sizes.size());
    opsrun_adapter::Show(*this, its_data, static_cast<int32_t>(sizes.size()), const_cast<int64_t*>(sizes.data()),
                         strides_.data());
  }

 private:
  c10::SmallVector<int64_t, 5> strides_;  // PyTorch's strides may differ where a size is 1
};

// A tensor that the caller owns.
class Input : public View {
 public:
  // Requires: dense, row-major, aligned, at most OPSRUN_MAX_RANK dimensions.
  Input(const opsrun_host* its_host, const TypeNumbers& type, const at::Tensor& tensor) : View(its_host, type) {
    ShowAt(const_cast<void*>(tensor.const_data_ptr()), tensor.sizes());
  }
};

class Owner : public View {
 public:
  using View::View;
  Owner(const opsrun_host* its_host, const TypeNumbers& type, at::Tensor tensor) : View(its_host, type) {
    Show(std::move(tensor));
  }
  void Show(at::Tensor tensor) {
    tensor_ = std::move(tensor);
    ShowAt(tensor_.data_ptr(), tensor_.sizes());
  }
  const at::Tensor& tensor() const { return tensor_; }
  at::Tensor Take() { return std::move(tensor_); }

 private:
  at::Tensor tensor_;
};

// True if a kernel can read it in place: dense, row-major and aligned. Requires: a strided tensor in CPU memory.
inline bool IsPlain(const at::Tensor& tensor) {
  const size_t alignment = tensor.is_complex() ? tensor.element_size() / 2 : tensor.element_size();
  return tensor.is_contiguous() && !tensor.is_conj() && !tensor.is_neg() &&
         reinterpret_cast<uintptr_t>(tensor.const_data_ptr()) % alignment == 0;
}
at::Tensor PlainCopyOf(const at::Tensor& tensor);

// Throws as PyTorch's allocator does; the contents are undefined.
at::Tensor NewTensor(const TypeNumbers& type, c10::IntArrayRef sizes);
// A copy of the elements at data.
at::Tensor CopyOf(const void* data, const TypeNumbers& type, c10::IntArrayRef sizes);
inline at::Tensor CopyOf(const opsrun_tensor& view, const TypeNumbers& type) {
  return CopyOf(view.data, type, {view.shape, static_cast<size_t>(view.rank)});
}

}  // namespace opsrun_torch
