// opsrun/internal/output_slots.h: the Tensors that a kernel gets for its outputs.
//
// A slot is the pointer inside of a Tensor. It is NULL until the output is made; then it points to a view in the frame,
// which it does not own. If a kernel assigns another tensor to it, the context passes that one to the host after the
// call. If a kernel copies the Tensor, the slot and the copy share an OwnTensor, which has the elements in the frame.
// Up to four slots are stored inline. Destroy is not a destructor, so that calls with nothing to destroy, which is the
// common case, do not have to test for it. A call of an op with one output writes one slot.
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
  OutputSlots() { inline_[0] = nullptr; }
  OutputSlots(const OutputSlots&) = delete;
  // Call before anything else, unless count is 1. Throws std::bad_alloc. If count is 0, slot 0 counts as made.
  OPSRUN_ALWAYS_INLINE void Prepare(uint32_t count) {
    for (const opsrun_tensor*& slot : inline_) slot = nullptr;
    if (count == 0) inline_[0] = TensorReference::Borrowed(nullptr);
    others_ = nullptr;
    if (count > kInline) others_ = new const opsrun_tensor*[count - kInline]();
  }

  // Requires, here and below: i < count.
  OPSRUN_ALWAYS_INLINE bool IsMade(int i) const { return At(i) != nullptr; }
  Tensor* Made(int i) { return IsMade(i) ? Slot(i) : nullptr; }

  // Makes the output the view in the frame. Requires: the output is not made, or is already shown.
  OPSRUN_ALWAYS_INLINE Tensor* Show(int i, const opsrun_tensor* view) {
    At(i) = TensorReference::Borrowed(view);
    return Slot(i);
  }
  // Makes the output a tensor that the plugin owns, which is passed to the host later. Requires: the output is not
  // made.
  OPSRUN_ALWAYS_INLINE Tensor* Own(int i, const opsrun_tensor* owned) {
    At(i) = owned;
    return Slot(i);
  }
  // True if the kernel assigned a tensor of its own.
  OPSRUN_ALWAYS_INLINE bool IsReplaced(int i) const { return IsMade(i) && !TensorReference::IsBorrowed(At(i)); }
  // True if the kernel copied the output's Tensor: the slot still has the elements in the frame.
  bool IsShared(int i) const { return TensorReference::IsShared(At(i)); }
  // Returns the tensor that the kernel assigned or copied; afterwards the slot owns nothing.
  OPSRUN_ALWAYS_INLINE Tensor Take(int i) {
    return Tensor(Tensor::Owned(), TensorReference::TakeSlot(std::exchange(At(i), nullptr)));
  }

  // True in the common case that every slot shows the view in the frame, so that nothing has to be passed on or
  // destroyed: only Show makes a slot a borrowed one. OneShown is for calls with one output.
  OPSRUN_ALWAYS_INLINE bool OneShown() const { return TensorReference::IsBorrowed(inline_[0]); }
  bool AllShown(uint32_t count) const {
    bool shown = count <= kInline;
    for (uint32_t i = 0; shown && i < count; ++i) shown = TensorReference::IsBorrowed(inline_[i]);
    return shown;
  }

  OPSRUN_ALWAYS_INLINE void Destroy(uint32_t count) {
    if (count > kInline && others_ == nullptr) return;  // out of memory
    for (uint32_t i = 0; i < count; ++i) {
      if (IsReplaced(static_cast<int>(i))) Take(static_cast<int>(i));
    }
    if (count > kInline) delete[] others_;
  }

 private:
  static constexpr uint32_t kInline = 4;

  OPSRUN_ALWAYS_INLINE const opsrun_tensor*& At(int i) {
    return static_cast<uint32_t>(i) < kInline ? inline_[i] : others_[static_cast<uint32_t>(i) - kInline];
  }
  OPSRUN_ALWAYS_INLINE const opsrun_tensor* At(int i) const { return const_cast<OutputSlots*>(this)->At(i); }
  OPSRUN_ALWAYS_INLINE Tensor* Slot(int i) { return reinterpret_cast<Tensor*>(&At(i)); }

  const opsrun_tensor* inline_[kInline];
  const opsrun_tensor** others_;  // those after them
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
