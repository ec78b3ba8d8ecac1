// adapters/tensorflow/native/view.h: tensors of TensorFlow as a kernel sees them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "opsrun/embed.h"
#include "tensorflow/core/framework/tensor.h"
#include "types.h"

namespace opsrun_tf {

// A view of a tensor, which the caller keeps. Its address is the tensor's handle, so it never moves. Elements are not
// copied; those of string tensors and resource tensors get slots, 16 and 8 bytes each.
class View : public opsrun_tensor {
 public:
  View() {}  // all fields are set by Expect
  View(const View&) = delete;

  // An output that is not allocated yet.
  void Expect(const opsrun_host* host, int32_t dtype, opsrun_dldtype dl);
  // After Expect. Requires: that type, and at most OPSRUN_MAX_RANK dimensions. fresh: its elements were never set.
  void Show(const tensorflow::Tensor& tensor, bool fresh);
  const tensorflow::Tensor& tensor() const { return *tensor_; }

  // What the slots of the host's table do, for string tensors.
  void AssignString(uint64_t i, const char* p, uint64_t n);
  void SwapStrings(uint64_t i, uint64_t j);

  // Makes what the plugin stored in the slots of a fresh resource tensor elements of the tensor, which then owns it.
  void KeepResources();

 private:
  static constexpr int32_t kFew = 6;

  void ShowSizes(const tensorflow::TensorShape& sizes);
  void ShowStrings(bool fresh);
  void ShowResources(bool fresh);
  opsrun_str* strings() { return static_cast<opsrun_str*>(data); }
  const opsrun_resource** resources() { return static_cast<const opsrun_resource**>(data); }

  const tensorflow::Tensor* tensor_ = nullptr;
  int64_t few_[2 * kFew];  // sizes, then strides
  std::unique_ptr<int64_t[]> many_;
  std::unique_ptr<char[]> slots_;
};

// Host bit of opsrun_tensor::flags: the view is a Temporary.
inline constexpr uint32_t kTemporary = 1u << 16;

// A tensor that the plugin holds by reference, for as long as it likes.
class Temporary : public View {
 public:
  // With one reference.
  static const opsrun_tensor* Make(const opsrun_host* host, int32_t dtype, opsrun_dldtype dl, tensorflow::Tensor tensor,
                                   bool fresh);
  static Temporary* Of(const opsrun_tensor* t);  // null: it is another view

  void Retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void Release() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

 private:
  explicit Temporary(tensorflow::Tensor tensor) : kept_(std::move(tensor)) {}

  const tensorflow::Tensor kept_;
  std::atomic<int64_t> references_{1};
};

// A copy of a tensor of another host, or a reason why not, as a code.
int32_t CopyOf(const opsrun_tensor& other, tensorflow::Tensor* copy);

}  // namespace opsrun_tf
