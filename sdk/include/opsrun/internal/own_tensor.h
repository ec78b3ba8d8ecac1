// opsrun/internal/own_tensor.h: tensors that a plugin makes without a host, with their own memory or as another view of
// a tensor's elements; and the one pointer of a Tensor, with what it owns.
//
// For the rest of the SDK a tensor of the plugin is a view like any other, but its retain, release and set_output are
// functions of the SDK. A host never sees it: set_output copies the elements if it becomes an output. Plugins that make
// no such tensors do not contain that code. Tensors of strings and resources are in slot_tensor.h.
//
// A copy of an output's Tensor, and views of it, write to the output while the call runs. The host's memory of the
// output is valid until the call ends; if a copy lives longer, its elements are moved to other memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <utility>

#include "opsrun/c_api.h"
#include "opsrun/namespace.h"
#include "opsrun/status.h"
#include "opsrun/tensor_shape.h"
#include "opsrun/types.h"

// C linkage, because files of a plugin that use different namespaces (see namespace.h) share these functions.
extern "C" {
__attribute__((visibility("hidden"))) int32_t opsrun_sdk_retain_own(const opsrun_tensor* t, const opsrun_tensor** kept);
__attribute__((visibility("hidden"))) void opsrun_sdk_release_own(const opsrun_tensor* t);
__attribute__((visibility("hidden"))) int32_t opsrun_sdk_give_own(opsrun_call* call, uint32_t i,
                                                                  const opsrun_tensor* t);
}

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

constexpr opsrun_host OwnHost() {
  opsrun_host host{};
  host.size = sizeof host;
  host.level = OPSRUN_LEVEL;
  host.retain = &opsrun_sdk_retain_own;
  host.release = &opsrun_sdk_release_own;
  host.set_output = &opsrun_sdk_give_own;
  return host;
}
inline constexpr opsrun_host kOwnHost = OwnHost();

class OwnTensor : public opsrun_tensor {
 public:
  // Undefined elements, in host memory. Throws std::bad_alloc. Requires: DataTypeSize(type) > 0, and sizes are at least
  // 0.
  OPSRUN_COLD OwnTensor(DataType type, int32_t the_rank, const int64_t* the_sizes) : opsrun_tensor{} {
    SetType(type);
    device = {OPSRUN_DEVICE_CPU, 0};
    flags = OPSRUN_TENSOR_ALIGNED64 | OPSRUN_TENSOR_HOST;
    SetShape(the_rank, the_sizes);
    size_t bytes = 0;
    if (!__builtin_mul_overflow(Count(), DataTypeSize(type), &bytes) && bytes <= PTRDIFF_MAX - 64)
      memory_ = aligned_alloc(64, bytes / 64 * 64 + 64);
    if (memory_ == nullptr) {
      delete[] sizes_;
      ThrowBadAlloc();
    }
    data = memory_;
  }
  // Elements of `base`, from byte `offset` on. Takes over the caller's reference to it.
  OPSRUN_COLD OwnTensor(const opsrun_tensor* base, int64_t offset, int32_t the_rank, const int64_t* the_sizes)
      : opsrun_tensor(*base), base_(base) {
    data = base->data == nullptr ? nullptr : static_cast<char*>(base->data) + offset;
    flags &= ~OPSRUN_TENSOR_PLANNED;
    if (offset % 64 != 0) flags &= ~OPSRUN_TENSOR_ALIGNED64;
    SetShape(the_rank, the_sizes);
    if (IsOne(base)) Join(*static_cast<const OwnTensor*>(base));
  }
  // The elements of an output of the running call. EndOutput must be called before the call ends.
  OPSRUN_COLD explicit OwnTensor(const opsrun_tensor* output)
      : opsrun_tensor(*output), base_(output), is_output_(true) {
    flags &= ~OPSRUN_TENSOR_PLANNED;
    SetShape(output->rank, output->shape);
  }
  OwnTensor(const OwnTensor&) = delete;
  OPSRUN_COLD ~OwnTensor() {
    if (output_ != nullptr) Leave();
    free(memory_);
    delete[] sizes_;
    if (base_ != nullptr && base_->host != nullptr && !is_output_) base_->host->release(base_);
  }

  // Reinterprets the elements. Requires: the number of bytes is the same, and DataTypeSize(type) > 0.
  void SetType(DataType type) {
    dl = {kDataTypes[type].dl_code, static_cast<uint8_t>(DataTypeSize(type) * 8), 1};
    dtype = type;
  }

  static bool IsOne(const opsrun_tensor* view) {
    return view->host != nullptr && view->host->retain == &opsrun_sdk_retain_own;
  }

  // If there are other references to an output's tensor, moves its elements to memory that outlives the call. If that
  // memory cannot be allocated, the tensor becomes empty.
  OPSRUN_COLD static void EndOutput(const opsrun_tensor* view) {
    auto* own = static_cast<OwnTensor*>(const_cast<opsrun_tensor*>(view));
    if (own->is_output_ && __atomic_load_n(&own->references_, __ATOMIC_ACQUIRE) > 1) own->MoveAway();
  }

  // Makes output i of the call: a copy, in the output's memory or, if that has another shape, in a temporary.
  // INVALID_ARGUMENT: the output has another type; UNIMPLEMENTED: the elements are not in host memory.
  int32_t Give(opsrun_call* call, uint32_t i) const {
    const opsrun_tensor* const to = call->out[i];
    if (dtype != to->dtype) return OPSRUN_INVALID_ARGUMENT;
    if ((flags & OPSRUN_TENSOR_HOST) == 0) return OPSRUN_UNIMPLEMENTED;
    if (to->data != nullptr && (to->flags & OPSRUN_TENSOR_HOST) != 0 && HasShapeOf(*to)) {
      CopyTo(to);
      return OPSRUN_OK;
    }
    const opsrun_tensor* made = nullptr;
    int32_t code = call->host->allocate_temp(call, dtype, rank, shape, OPSRUN_TEMP_ON_HOST, &made);
    if (code != OPSRUN_OK) return code;
    CopyTo(made);
    code = call->host->set_output(call, i, made);
    made->host->release(made);
    return code;
  }

  void Retain() { __atomic_add_fetch(&references_, 1, __ATOMIC_RELAXED); }
  void Release() {
    if (__atomic_sub_fetch(&references_, 1, __ATOMIC_ACQ_REL) == 0) delete this;
  }

 private:
  bool HasShapeOf(const opsrun_tensor& other) const {
    return rank == other.rank &&
           (rank == 0 || memcmp(shape, other.shape, sizeof(int64_t) * static_cast<size_t>(rank)) == 0);
  }
  void CopyTo(const opsrun_tensor* to) const {
    const size_t bytes = static_cast<size_t>(Count()) * dl.bits / 8;
    if (bytes > 0 && to->data != data) memcpy(to->data, data, bytes);
  }
  int64_t Count() const {
    int64_t n = 1;
    for (int32_t i = 0; i < rank; ++i) n *= shape[i];
    return n;
  }
  void SetShape(int32_t the_rank, const int64_t* the_sizes) {
    host = &kOwnHost;
    rank = the_rank;
    sizes_ = new int64_t[2 * static_cast<size_t>(rank) + 1];
    int64_t stride = 1;
    for (int32_t i = rank - 1; i >= 0; --i) {
      sizes_[i] = the_sizes[i];
      sizes_[rank + i] = stride;
      stride *= the_sizes[i] > 1 ? the_sizes[i] : 1;
    }
    shape = sizes_;
    strides = sizes_ + rank;
  }

  // An output's tensor lists the views of it, which several threads may create and delete.
  void Join(const OwnTensor& base) {
    output_ = base.is_output_ ? const_cast<OwnTensor*>(&base) : base.output_;
    if (output_ == nullptr) return;
    offset_ = static_cast<char*>(data) - static_cast<char*>(output_->data);
    output_->Lock();
    next_ = output_->views_;
    if (next_ != nullptr) next_->link_ = &next_;
    link_ = &output_->views_;
    output_->views_ = this;
    output_->Unlock();
  }
  void Leave() {
    output_->Lock();
    *link_ = next_;
    if (next_ != nullptr) next_->link_ = link_;
    output_->Unlock();
  }
  void MoveAway() {
    const opsrun_tensor* kept = nullptr;
    is_output_ = base_->host->retain(base_, &kept) != OPSRUN_OK;
    base_ = is_output_ ? base_ : kept;
    data = is_output_ ? nullptr : kept->data;
    for (OwnTensor* view = views_; view != nullptr; view = view->next_) view->FollowOutput();
    if (is_output_ && rank > 0) sizes_[0] = 0;
  }
  void FollowOutput() {
    data = output_->data == nullptr ? nullptr : static_cast<char*>(output_->data) + offset_;
    if (data == nullptr && rank > 0) sizes_[0] = 0;
  }
  void Lock() {
    while (__atomic_test_and_set(&is_locked_, __ATOMIC_ACQUIRE)) {
    }
  }
  void Unlock() { __atomic_clear(&is_locked_, __ATOMIC_RELEASE); }

  const opsrun_tensor* base_ = nullptr;
  void* memory_ = nullptr;
  int64_t* sizes_ = nullptr;
  int32_t references_ = 1;
  bool is_output_ = false;
  bool is_locked_ = false;
  OwnTensor* views_ = nullptr;   // for an output: all views of it
  OwnTensor* output_ = nullptr;  // for such a view: the output, and its position in that list
  OwnTensor* next_ = nullptr;
  OwnTensor** link_ = nullptr;
  int64_t offset_ = 0;
};

// OwnTensor::EndOutput in plugins that copy the Tensor of an output; the others do not contain it.
inline void (*end_output)(const opsrun_tensor* view) = nullptr;

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

// Called only through the function table of such a tensor.
extern "C" {
inline int32_t opsrun_sdk_retain_own(const opsrun_tensor* t, const opsrun_tensor** kept) {
  static_cast<::OPSRUN_NAMESPACE::internal::OwnTensor*>(const_cast<opsrun_tensor*>(t))->Retain();
  *kept = t;
  return OPSRUN_OK;
}
inline void opsrun_sdk_release_own(const opsrun_tensor* t) {
  static_cast<::OPSRUN_NAMESPACE::internal::OwnTensor*>(const_cast<opsrun_tensor*>(t))->Release();
}
inline int32_t opsrun_sdk_give_own(opsrun_call* call, uint32_t i, const opsrun_tensor* t) {
  return static_cast<const ::OPSRUN_NAMESPACE::internal::OwnTensor*>(t)->Give(call, i);
}
}
