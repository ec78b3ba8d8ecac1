// opsrun/internal/output_slots.h: the Tensors that a kernel gets for its outputs.
//
// A slot is the pointer inside of a Tensor. It is NULL until the output is made; then it points to a view in the frame,
// which it does not own. If a kernel assigns another tensor to it, the context passes that one to the host after the
// call. If a kernel copies the Tensor, the slot and the copy share an OwnTensor, which has the elements in the frame.
// Up to four slots are stored inline. Destroy is not a destructor, so that calls with nothing to destroy, which is the
// common case, do not have to test for it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/c_api.h"
#include "opsrun/namespace.h"
#include "opsrun/status.h"
#include "opsrun/tensor.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

class OutputSlots {
 public:
  explicit OutputSlots(uint32_t count) : views_(TF_PREDICT_FALSE(count > kInline) ? NewViews(count) : inline_) {}
  OutputSlots(const OutputSlots&) = delete;

  // Requires, here and below: i < count.
  bool IsMade(int i) const { return views_[i] != nullptr; }
  Tensor* Made(int i) { return IsMade(i) ? Slot(i) : nullptr; }

  // Makes the output the view in the frame. Requires: the output is not made, or is already shown.
  Tensor* Show(int i, const opsrun_tensor* view) {
    views_[i] = TensorReference::Borrowed(view);
    return Slot(i);
  }
  // Makes the output a tensor that the plugin owns, which is passed to the host later. Requires: the output is not
  // made.
  Tensor* Own(int i, const opsrun_tensor* owned) {
    views_[i] = owned;
    return Slot(i);
  }
  // True if the kernel assigned a tensor of its own.
  bool IsReplaced(int i) const { return IsMade(i) && !TensorReference::IsBorrowed(views_[i]); }
  // True if the kernel copied the output's Tensor: the slot still has the elements in the frame.
  bool IsShared(int i) const { return TensorReference::IsShared(views_[i]); }
  // Returns the tensor that the kernel assigned or copied; afterwards the slot owns nothing.
  Tensor Take(int i) { return Tensor(Tensor::Owned(), TensorReference::TakeSlot(std::exchange(views_[i], nullptr))); }

  // True in the common case that every slot shows the view in the frame, so that nothing has to be passed on or
  // destroyed.
  bool AllShown(const opsrun_call* call) const {
    if (TF_PREDICT_TRUE(call->n_out == 1)) return IsShown(call, 0);
    return call->n_out == 0 || (call->n_out <= kInline && ManyShown(call));
  }

  void Destroy(uint32_t count) {
    for (uint32_t i = 0; i < count; ++i) {
      if (IsReplaced(static_cast<int>(i))) Take(static_cast<int>(i));
    }
    if (views_ != inline_) delete[] views_;
  }

 private:
  static constexpr uint32_t kInline = 4;

  OPSRUN_COLD static const opsrun_tensor** NewViews(uint32_t count) { return new const opsrun_tensor*[count](); }
  Tensor* Slot(int i) { return reinterpret_cast<Tensor*>(&views_[i]); }
  bool IsShown(const opsrun_call* call, uint32_t i) const {
    return views_[i] == TensorReference::Borrowed(call->out[i]);
  }
  __attribute__((noinline)) bool ManyShown(const opsrun_call* call) const {
    for (uint32_t i = 0; i < call->n_out; ++i) {
      if (!IsShown(call, i)) return false;
    }
    return true;
  }

  const opsrun_tensor** views_;
  const opsrun_tensor* inline_[kInline] = {};
};

// Allocates a tensor that the kernel owns.

inline Status AllocateTemporary(const opsrun_host* host, void* where, DataType type, const TensorShape& shape,
                                AllocatorAttributes attributes, Tensor* tensor) {
  if (HasSlots(type)) {
    *tensor = Tensor::Adopt(new SlotTensor(type, shape.dims(), shape.data()));
    return Status();
  }
  const opsrun_tensor* view = nullptr;
  const uint32_t flags = attributes.on_host() ? OPSRUN_TEMP_ON_HOST : 0u;
  const int32_t code = host->allocate_temp(where, type, shape.dims(), shape.data(), flags, &view);
  if (code != OPSRUN_OK) {
    return Error(static_cast<error::Code>(code), "The host cannot allocate a temporary of shape %s and type %s",
                 shape.DebugString().c_str(), DataTypeName(type).c_str());
  }
  *tensor = Tensor::Adopt(view);
  return Status();
}

// Keeps the tensor in a PersistentTensor.
template <typename Context, typename Persistent>
ReturnedStatus AllocatePersistent(Context* context, DataType type, const TensorShape& shape, Persistent* persistent,
                                  Tensor** tensor) {
  Tensor made;
  TF_RETURN_IF_ERROR(context->allocate_temp(type, shape, &made));
  *persistent = Persistent(made);
  if (tensor != nullptr) *tensor = persistent->AccessTensor(context);
  return Status();
}

}  // namespace internal
}  // namespace OPSRUN_HIDDEN
