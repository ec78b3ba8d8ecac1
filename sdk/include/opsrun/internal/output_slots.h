// opsrun/internal/output_slots.h: the Tensors that a kernel gets for its outputs.
//
// A slot shows a view of the frame without owning it. A kernel may also assign another tensor to it, which Finish then
// hands to the host. On the stack for up to four outputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>

#include "opsrun/c_api.h"
#include "opsrun/namespace.h"
#include "opsrun/tensor.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

class OutputSlots {
 public:
  explicit OutputSlots(uint32_t count) : count_(count), slots_(count <= kInline ? inline_ : new Tensor[count]) {
    if (TF_PREDICT_FALSE(count > kInline)) return;
    for (uint32_t i = 0; i < count; ++i) new (&inline_[i]) Tensor();
  }
  OutputSlots(const OutputSlots&) = delete;
  ~OutputSlots() {
    if (TF_PREDICT_FALSE(count_ != 0)) Destroy();
  }

  // Requires, here and below: i < count.
  bool IsMade(int i) const { return slots_[i].view_ != &kEmptyTensor; }
  Tensor* Made(int i) const { return IsMade(i) ? &slots_[i] : nullptr; }

  // The output is the frame's view.
  Tensor* Show(int i, const opsrun_tensor* view) {
    slots_[i].Replace(Tensor::Borrowed(view));
    return &slots_[i];
  }
  // Did the kernel assign a tensor of its own?
  bool IsReplaced(int i) const { return IsMade(i) && !slots_[i].borrowed(); }

  // The usual end: every slot shows its frame's view, so that there is nothing to do any more, and nothing to destroy.
  bool EndShown(const opsrun_call* call) {
    for (uint32_t i = 0; i < count_; ++i) {
      if (slots_[i].view_ != Tensor::Borrowed(call->out[i])) return false;
    }
    if (count_ <= kInline) count_ = 0;
    return true;
  }

 private:
  static constexpr uint32_t kInline = 4;

  OPSRUN_COLD void Destroy() {
    if (count_ > kInline) {
      delete[] slots_;
    } else {
      for (uint32_t i = 0; i < count_; ++i) inline_[i].~Tensor();
    }
  }

  uint32_t count_;
  Tensor* slots_;
  union {
    Tensor inline_[kInline];
  };
};

}  // namespace internal
}  // namespace OPSRUN_HIDDEN
