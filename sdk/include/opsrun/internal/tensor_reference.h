// opsrun/internal/tensor_reference.h: the one pointer of a Tensor, and what it owns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "opsrun/c_api.h"
#include "opsrun/internal/failure.h"
#include "opsrun/internal/own_tensor.h"
#include "opsrun/namespace.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// The view of an empty Tensor: no elements, shape [0].
inline int64_t empty_sizes[1] = {0};
inline int64_t empty_strides[1] = {1};
inline constexpr opsrun_tensor kEmptyTensor = {nullptr,
                                               {OPSRUN_DEVICE_CPU, 0},
                                               1,
                                               {2, 32, 1},
                                               empty_sizes,
                                               empty_strides,
                                               0,
                                               nullptr,
                                               OPSRUN_TENSOR_ALIGNED64 | OPSRUN_TENSOR_CONST | OPSRUN_TENSOR_HOST,
                                               OPSRUN_DT_FLOAT};

// Owns a reference to a view, except in the slot of an output. A copy of an output's reference shares the output's
// elements, for reading and writing. Several threads may copy one object.
class TensorReference {
 public:
  TensorReference() : view_(&kEmptyTensor) {}
  // Takes over the caller's reference.
  explicit TensorReference(const opsrun_tensor* owned) : view_(owned) {}
  TensorReference(const TensorReference& other) : view_(other.Share()) {}
  TensorReference(TensorReference&& other) : TensorReference() { Swap(&other); }
  TensorReference& operator=(const TensorReference& other) {
    if (this != &other) Replace(other.Share());
    return *this;
  }
  TensorReference& operator=(TensorReference&& other) {
    if (this == &other) return *this;
    TensorReference taken(std::move(other));
    Replace(std::exchange(taken.view_, &kEmptyTensor));
    return *this;
  }
  ~TensorReference() { Drop(); }

  const opsrun_tensor* view() const { return WithoutFlags(view_); }
  // A new reference to the elements.
  const opsrun_tensor* Share() const { return borrowed() ? ShareOutput() : Retain(view()); }

  // For slots, whose pointer has flags.
  static const opsrun_tensor* Borrowed(const opsrun_tensor* view) {
    return reinterpret_cast<const opsrun_tensor*>(reinterpret_cast<uintptr_t>(view) | kBorrowed);
  }
  static bool IsBorrowed(const opsrun_tensor* view) { return (reinterpret_cast<uintptr_t>(view) & kBorrowed) != 0; }
  static bool IsShared(const opsrun_tensor* view) { return (reinterpret_cast<uintptr_t>(view) & kShared) != 0; }
  // The view that a slot owned, for its next owner.
  OPSRUN_COLD static const opsrun_tensor* TakeSlot(const opsrun_tensor* slot) {
    const opsrun_tensor* view = WithoutFlags(slot);
    if (IsShared(slot)) end_output(view);
    return view;
  }
  static const opsrun_tensor* Retain(const opsrun_tensor* view) {
    if (view->host == nullptr) return view;
    const opsrun_tensor* kept = nullptr;
    if (view->host->retain(view, &kept) != OPSRUN_OK) {
      Fail(Error(error::RESOURCE_EXHAUSTED, "The host cannot keep a tensor of shape %s",
                 DimsString(view->shape, view->rank).c_str()));
    }
    return kept;
  }

 private:
  // Flags in the pointer of an output's Tensor. kBorrowed: the frame owns the view, so there is no reference to
  // release. kShared: it shares an OwnTensor with its copies.
  static constexpr uintptr_t kBorrowed = 1, kShared = 2;
  static const opsrun_tensor* WithoutFlags(const opsrun_tensor* slot) {
    return reinterpret_cast<const opsrun_tensor*>(reinterpret_cast<uintptr_t>(slot) & ~(kBorrowed | kShared));
  }
  bool borrowed() const { return IsBorrowed(view_); }

  // Several threads may copy an output's Tensor concurrently: the first one wins.
  OPSRUN_COLD const opsrun_tensor* ShareOutput() const {
    auto* made = new OwnTensor(view());
    __atomic_store_n(&end_output, &OwnTensor::EndOutput, __ATOMIC_RELEASE);
    auto* slot = const_cast<const opsrun_tensor**>(&view_);
    const opsrun_tensor* was = Borrowed(view());
    const auto* shared = reinterpret_cast<const opsrun_tensor*>(
        reinterpret_cast<uintptr_t>(static_cast<const opsrun_tensor*>(made)) | kShared);
    if (!__atomic_compare_exchange_n(slot, &was, shared, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) made->Release();
    return Retain(view());
  }
  void Drop() {
    if (borrowed()) return;
    const opsrun_tensor* dropped = view();
    if (TF_PREDICT_FALSE(IsShared(view_))) end_output(dropped);
    if (dropped->host != nullptr) dropped->host->release(dropped);
  }
  void Replace(const opsrun_tensor* view) {
    Drop();
    view_ = view;
  }
  void Swap(TensorReference* other) {
    if (other->borrowed() || IsShared(other->view_)) {
      view_ = other->Share();
    } else {
      std::swap(view_, other->view_);
    }
  }

  const opsrun_tensor* view_;
};

}  // namespace internal
}  // namespace OPSRUN_HIDDEN
