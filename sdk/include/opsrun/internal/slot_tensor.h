// opsrun/internal/slot_tensor.h: tensors of strings, resources and variants, as a plugin holds them.
//
// The elements own memory, and the elements of a host's tensor are read-only. So such a tensor is an object of the
// plugin: it reads a host's elements in place, and creates its own array when a kernel asks for writable elements.
// After Compute, the context passes written outputs to the host. For the rest of the SDK it is a view like any other,
// but its retain and release are functions of the SDK. It is never passed to a host.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <type_traits>

#include "opsrun/c_api.h"
#include "opsrun/namespace.h"
#include "opsrun/resource_handle.h"
#include "opsrun/status.h"
#include "opsrun/tstring.h"
#include "opsrun/types.h"

// C linkage, because files of a plugin that use different namespaces (see namespace.h) share these functions.
extern "C" {
__attribute__((visibility("hidden"))) int32_t opsrun_sdk_retain_slots(const opsrun_tensor* t,
                                                                      const opsrun_tensor** kept);
__attribute__((visibility("hidden"))) void opsrun_sdk_release_slots(const opsrun_tensor* t);
}

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

constexpr bool HasSlots(int32_t dtype) {
  return dtype == DT_STRING || dtype == DT_RESOURCE || dtype == DT_VARIANT;
}

// The C++ types of elements that are stored as slots. Variant, which compat has, is a class whose only member is a
// ResourceHandle.
template <typename T>
constexpr bool kIsSlot = std::is_same_v<T, tstring> || std::is_same_v<T, std::string> ||
                         std::is_same_v<T, ResourceHandle> || std::is_same_v<T, Variant>;

// The table through which slot tensors are retained and released. They are recognized by the functions in it, not by
// its address.
constexpr opsrun_host SlotHost() {
  opsrun_host host{};
  host.size = sizeof host;
  host.level = OPSRUN_LEVEL;
  host.retain = &opsrun_sdk_retain_slots;
  host.release = &opsrun_sdk_release_slots;
  return host;
}
inline constexpr opsrun_host kSlotHost = SlotHost();

class SlotTensor : public opsrun_tensor {
 public:
  // A tensor of that shape with empty elements.
  OPSRUN_COLD SlotTensor(DataType type, int32_t the_rank, const int64_t* sizes) : opsrun_tensor{} {
    device = {OPSRUN_DEVICE_CPU, 0};
    flags = OPSRUN_TENSOR_ALIGNED64 | OPSRUN_TENSOR_HOST;
    dtype = type;
    rank = the_rank;
    host = &kSlotHost;
    CopyShape(sizes);
  }
  // The elements of a host's tensor. `owned`: takes over the caller's reference to it.
  OPSRUN_COLD SlotTensor(const opsrun_tensor* origin, bool owned)
      : SlotTensor(static_cast<DataType>(origin->dtype), origin->rank, origin->shape) {
    origin_ = origin;
    owns_origin_ = owned;
    data = origin->data;
  }
  // Another view of the elements of `base`, from element `first` on. Takes over the caller's reference to it.
  OPSRUN_COLD SlotTensor(SlotTensor* base, int64_t first, int32_t the_rank, const int64_t* sizes)
      : SlotTensor(static_cast<DataType>(base->dtype), the_rank, sizes) {
    base_ = base;
    first_ = first;
  }
  SlotTensor(const SlotTensor&) = delete;
  OPSRUN_COLD ~SlotTensor() {
    delete[] strings_;
    delete[] std_strings_;
    delete[] resources_;
    delete[] sizes_;
    if (owns_origin_) origin_->host->release(origin_);
    if (base_ != nullptr) base_->Release();
  }

  // NULL for a tensor of a host.
  static SlotTensor* From(const opsrun_tensor* view) {
    const bool is_one = view->host != nullptr && view->host->retain == &opsrun_sdk_retain_slots;
    return is_one ? const_cast<SlotTensor*>(static_cast<const SlotTensor*>(view)) : nullptr;
  }
  // Wraps a host's tensor, and takes over the caller's reference, if its elements are slots.
  static const opsrun_tensor* Wrap(const opsrun_tensor* owned) {
    return HasSlots(owned->dtype) && From(owned) == nullptr ? new SlotTensor(owned, true) : owned;
  }

  // The host's tensor, if this one has all of its elements and they are unmodified; otherwise NULL.
  const opsrun_tensor* Origin() const { return HasOwnStrings() || Load(resources_) != nullptr ? nullptr : origin_; }

  // The count() elements. Asking for writable elements creates an array of their own. If a kernel asks for both kinds
  // of writable strings, the kind that it asked for last is used. T: tstring, std::string, ResourceHandle or Variant,
  // and const.
  template <typename T>
  T* Elements(T* kind) const {
    return base_ == nullptr ? All(kind) : base_->Elements(kind) + first_;
  }

  int64_t count() const {
    int64_t n = 1;
    for (int32_t i = 0; i < rank; ++i) n *= shape[i];
    return n;
  }

  void Retain() { __atomic_add_fetch(&references_, 1, __ATOMIC_RELAXED); }
  void Release() {
    if (__atomic_sub_fetch(&references_, 1, __ATOMIC_ACQ_REL) == 0) delete this;
  }
  // Takes a reference to the host's tensor, which the host may replace by another one. If the host cannot keep it,
  // returns false, and the tensor has no elements.
  OPSRUN_COLD bool OwnOrigin() {
    if (origin_ == nullptr || owns_origin_) return true;
    const opsrun_tensor* kept = nullptr;
    owns_origin_ = origin_->host->retain(origin_, &kept) == OPSRUN_OK;
    origin_ = owns_origin_ ? kept : nullptr;
    data = owns_origin_ ? kept->data : nullptr;
    return owns_origin_;
  }
  // Copies the elements into a new tensor of the host. Returns a code.
  OPSRUN_COLD int32_t GiveTo(const opsrun_tensor* to) const {
    return dtype == DT_STRING ? GiveStrings(to) : GiveResources(static_cast<const opsrun_resource**>(to->data));
  }
  // Calls fn(unnamed) for each resource that is unknown to the host. Returns the first code that is not OK.
  template <typename Fn>
  int32_t ForUnknownResources(const Fn& fn) const {
    const ResourceHandle* handles = Load(Root().resources_);
    for (int64_t i = First(), n = i + count(); handles != nullptr && i < n; ++i) {
      if (handles[i].unnamed() == nullptr || handles[i].resource() != nullptr) continue;
      const int32_t code = fn(handles[i].unnamed());
      if (code != OPSRUN_OK) return code;
    }
    return OPSRUN_OK;
  }
  bool IsShared() const { return __atomic_load_n(&references_, __ATOMIC_ACQUIRE) > 1; }

 private:
  OPSRUN_COLD void CopyShape(const int64_t* sizes) {
    if (rank <= 0) return;
    sizes_ = new int64_t[2 * static_cast<size_t>(rank)];
    int64_t stride = 1;
    for (int32_t i = rank - 1; i >= 0; --i) {
      sizes_[i] = sizes[i];
      sizes_[rank + i] = stride;
      stride *= sizes[i] > 1 ? sizes[i] : 1;
    }
    shape = sizes_;
    strides = sizes_ + rank;
  }

  template <typename T>
  static T* Load(T* const& array) {
    return __atomic_load_n(&array, __ATOMIC_ACQUIRE);
  }
  bool HasOwnStrings() const { return Load(strings_) != nullptr || Load(std_strings_) != nullptr; }

  // The tensor that owns the elements, and the index of this one's first element in it.
  const SlotTensor& Root() const { return base_ == nullptr ? *this : base_->Root(); }
  int64_t First() const { return base_ == nullptr ? 0 : first_ + base_->First(); }

  int32_t GiveStrings(const opsrun_tensor* to) const {
    const SlotTensor& root = Root();
    const std::string* std_strings = Load(root.std_strings_);
    const tstring* strings = Load(root.strings_);
    if (strings != nullptr && !__atomic_load_n(&root.writes_std_strings_, __ATOMIC_RELAXED)) std_strings = nullptr;
    if (strings == nullptr && root.origin_ != nullptr) strings = static_cast<const tstring*>(root.origin_->data);
    if (std_strings == nullptr && strings == nullptr) return OPSRUN_OK;  // nothing was written
    for (int64_t i = 0, first = First(), n = count(); i < n; ++i) {
      const std::string_view text =
          std_strings != nullptr ? std::string_view(std_strings[first + i]) : std::string_view(strings[first + i]);
      if (text.empty()) continue;
      const int32_t code = to->host->string_assign(to, static_cast<uint64_t>(i), text.data(), text.size());
      if (code != OPSRUN_OK) return code;
    }
    return OPSRUN_OK;
  }
  OPSRUN_COLD int32_t GiveResources(const opsrun_resource** to) const {
    const SlotTensor& root = Root();
    const ResourceHandle* handles = Load(root.resources_);
    const auto* given = root.origin_ == nullptr ? nullptr : static_cast<const opsrun_resource**>(root.origin_->data);
    for (int64_t i = 0, first = First(), n = count(); i < n; ++i) {
      const opsrun_resource* resource = handles != nullptr ? handles[first + i].resource()
                                        : given != nullptr ? given[first + i]
                                                           : nullptr;
      if (resource == nullptr || to[i] != nullptr) continue;
      const int32_t code = resource->host->resource_retain(resource);
      if (code != OPSRUN_OK) return code;
      to[i] = resource;
    }
    return OPSRUN_OK;
  }

  // The elements of a tensor that is not a view of another one.
  const tstring* All(const tstring*) const {
    return origin_ == nullptr || HasOwnStrings() ? Own() : static_cast<const tstring*>(origin_->data);
  }
  tstring* All(tstring*) const {
    __atomic_store_n(&writes_std_strings_, false, __ATOMIC_RELAXED);
    return Own();
  }
  const std::string* All(const std::string*) const { return OwnStdStrings(); }
  std::string* All(std::string*) const {
    __atomic_store_n(&writes_std_strings_, true, __ATOMIC_RELAXED);
    return OwnStdStrings();
  }
  const ResourceHandle* All(const ResourceHandle*) const { return OwnResources(); }
  ResourceHandle* All(ResourceHandle*) const { return OwnResources(); }
  const Variant* All(const Variant*) const { return reinterpret_cast<const Variant*>(OwnResources()); }
  Variant* All(Variant*) const { return reinterpret_cast<Variant*>(OwnResources()); }

  // Several threads may ask concurrently: the first complete array is used.
  template <typename T, typename Fill>
  T* Make(T*& array, Fill fill) const {
    if (T* made = __atomic_load_n(&array, __ATOMIC_ACQUIRE)) return made;
    T* fresh = new T[static_cast<size_t>(count()) + 1];
    fill(fresh);
    T* none = nullptr;
    if (__atomic_compare_exchange_n(&array, &none, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) return fresh;
    delete[] fresh;
    return none;
  }
  tstring* Own() const {
    return Make(strings_, [this](tstring* to) {
      const std::string* const std_strings = Load(std_strings_);
      for (int64_t i = 0; i < count(); ++i) {
        if (std_strings != nullptr) {
          to[i] = std_strings[i];
        } else if (origin_ != nullptr) {
          to[i] = static_cast<const tstring*>(origin_->data)[i];
        }
      }
    });
  }
  std::string* OwnStdStrings() const {
    return Make(std_strings_, [this](std::string* to) {
      const tstring* from = Load(strings_);
      if (from == nullptr && origin_ != nullptr) from = static_cast<const tstring*>(origin_->data);
      for (int64_t i = 0; from != nullptr && i < count(); ++i) to[i].assign(from[i].data(), from[i].size());
    });
  }
  ResourceHandle* OwnResources() const {
    return Make(resources_, [this](ResourceHandle* to) {
      if (origin_ == nullptr) return;
      const auto* from = static_cast<const opsrun_resource* const*>(origin_->data);
      for (int64_t i = 0; i < count(); ++i) to[i] = ResourceHandle::Share(from[i]);
    });
  }

  const opsrun_tensor* origin_ = nullptr;
  mutable tstring* strings_ = nullptr;
  mutable std::string* std_strings_ = nullptr;
  mutable ResourceHandle* resources_ = nullptr;
  int64_t* sizes_ = nullptr;
  int32_t references_ = 1;
  bool owns_origin_ = false;
  mutable bool writes_std_strings_ = false;
  SlotTensor* base_ = nullptr;
  int64_t first_ = 0;
};

// Requires: a tensor of slots that was wrapped by Wrap or created as one.
inline SlotTensor* SlotsOf(const opsrun_tensor& view) {
  SlotTensor* slots = SlotTensor::From(&view);
  if (TF_PREDICT_FALSE(slots == nullptr)) Fail(Error(error::INTERNAL, "The elements of this tensor cannot be reached"));
  return slots;
}

}  // namespace internal
}  // namespace OPSRUN_HIDDEN

// Called only through the function table of a slot tensor.
extern "C" {
inline int32_t opsrun_sdk_retain_slots(const opsrun_tensor* t, const opsrun_tensor** kept) {
  auto* slots = static_cast<::OPSRUN_NAMESPACE::internal::SlotTensor*>(const_cast<opsrun_tensor*>(t));
  slots->Retain();
  *kept = slots;
  return OPSRUN_OK;
}
inline void opsrun_sdk_release_slots(const opsrun_tensor* t) {
  static_cast<::OPSRUN_NAMESPACE::internal::SlotTensor*>(const_cast<opsrun_tensor*>(t))->Release();
}
}
