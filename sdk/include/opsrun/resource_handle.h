// opsrun/resource_handle.h: ResourceHandle, an element of a resource tensor: a counted reference to a shared object.
//
// It passes through a graph as a tensor of type resource. The object lives as long as a handle or the host's table
// holds it. Use LookupResource (resource_mgr.h) to get the object.
//
// A handle of MakeRefCountingHandle (resource_mgr.h) has no name and is in no table: the object lives as long as its
// handles. It is passed to the host when it becomes an element of an output.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "opsrun/c_api.h"
#include "opsrun/namespace.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// An object without a name, which all copies of a handle share. It holds a reference to the object or, once the host
// knows it, to the host's resource.
class Unnamed {
 public:
  // Takes over the caller's reference to the object, which release(object) drops. NULL: SetObject sets the object
  // later. `type` must outlive this object.
  Unnamed(void* object, std::string_view type, void (*release)(void* object))
      : object_(object), type_(type), release_(release) {}
  Unnamed(const Unnamed&) = delete;

  void Ref() { __atomic_add_fetch(&references_, 1, __ATOMIC_RELAXED); }
  void Unref() {
    if (__atomic_sub_fetch(&references_, 1, __ATOMIC_ACQ_REL) == 0) delete this;
  }
  bool IsOnlyOne() const { return __atomic_load_n(&references_, __ATOMIC_ACQUIRE) == 1; }
  void* object() const { return __atomic_load_n(&object_, __ATOMIC_ACQUIRE); }
  // Takes over the caller's reference. False: an object was already set.
  bool SetObject(void* object) {
    void* none = nullptr;
    return __atomic_compare_exchange_n(&object_, &none, object, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  }
  std::string_view type() const { return type_; }
  auto release() const { return release_; }
  // NULL until a host knows the object.
  const opsrun_resource* known() const { return __atomic_load_n(&known_, __ATOMIC_ACQUIRE); }
  // Takes over the caller's reference. The host has taken over the reference to the object.
  void BecomeKnown(const opsrun_resource* known) { __atomic_store_n(&known_, known, __ATOMIC_RELEASE); }

 private:
  ~Unnamed() {
    if (known_ != nullptr) {
      known_->host->resource_release(known_);
    } else if (object_ != nullptr) {
      release_(object_);
    }
  }

  void* object_;
  std::string_view type_;
  void (*release_)(void* object);
  const opsrun_resource* known_ = nullptr;
  int64_t references_ = 1;
};

// The types and shapes that a resource holds. Sources may pass them; the host ignores them.
struct IgnoredShapes {
  IgnoredShapes() = default;
  template <typename Shapes>
  IgnoredShapes(const Shapes&) {}
};

// A pointer to an object, or the reason for its absence.
template <typename T, typename Status>
class Found {
 public:
  Found(const Status& status, T* value) : status_(status), value_(value) {}
  bool ok() const { return status_.ok(); }
  const Status& status() const { return status_; }
  T* value() const { return value_; }
  T* operator*() const { return value_; }

 private:
  Status status_;
  T* value_;
};

}  // namespace internal

class Status;

class ResourceHandle {
 public:
  ResourceHandle() = default;  // refers to nothing
  ResourceHandle(const ResourceHandle& other) : ResourceHandle(Share(other.resource_)) {
    unnamed_ = other.unnamed_;
    if (unnamed_ != nullptr) unnamed_->Ref();
  }
  ResourceHandle(ResourceHandle&& other) noexcept
      : resource_(std::exchange(other.resource_, nullptr)), unnamed_(std::exchange(other.unnamed_, nullptr)) {}
  ResourceHandle& operator=(ResourceHandle other) noexcept {
    std::swap(resource_, other.resource_);
    std::swap(unnamed_, other.unnamed_);
    return *this;
  }
  ~ResourceHandle() {
    if (resource_ != nullptr) resource_->host->resource_release(resource_);
    if (unnamed_ != nullptr) unnamed_->Unref();
  }

  // Takes a new reference. `resource` may be NULL.
  static ResourceHandle Share(const opsrun_resource* resource) {
    if (resource != nullptr) resource->host->resource_retain(resource);
    return Adopt(resource);
  }
  // Takes over the caller's reference.
  static ResourceHandle Adopt(const opsrun_resource* resource) {
    ResourceHandle handle;
    handle.resource_ = resource;
    return handle;
  }

  // A handle of an object that is not in a table. Takes over the caller's reference; NULL: CreateResource sets the
  // object later. Requires resource_mgr.h.
  template <typename T, typename Trace = int>
  static ResourceHandle MakeRefCountingHandle(T* resource, const std::string& device,
                                              internal::IgnoredShapes shapes = {}, Trace trace = {});
  // The object, without a new reference. INVALID_ARGUMENT: it is of another type or of another plugin. Requires
  // resource_mgr.h.
  template <typename T, typename AnyStatus = Status>
  internal::Found<T, AnyStatus> GetResource() const;
  bool IsRefCounting() const { return unnamed_ != nullptr; }

  // The key of the object. Empty if the handle refers to nothing.
  std::string container() const { return resource() == nullptr ? std::string() : Text(resource()->container); }
  std::string name() const { return resource() == nullptr ? std::string() : Text(resource()->name); }
  std::string maybe_type_name() const {
    if (resource() == nullptr) return unnamed_ == nullptr ? std::string() : std::string(unnamed_->type());
    return Text(resource()->type);
  }
  std::string DebugString() const {
    if (resource() == nullptr) return unnamed_ == nullptr ? "no resource" : maybe_type_name();
    return maybe_type_name() + " " + container() + "/" + name();
  }

  // For direct calls of the functions of c_api.h. NULL: the handle refers to nothing, or to an object that the host
  // does not know yet.
  const opsrun_resource* resource() const {
    return resource_ == nullptr && unnamed_ != nullptr ? unnamed_->known() : resource_;
  }
  internal::Unnamed* unnamed() const { return unnamed_; }

 private:
  static std::string Text(const opsrun_str& text) { return text.size == 0 ? "" : std::string(text.data, text.size); }

  const opsrun_resource* resource_ = nullptr;
  internal::Unnamed* unnamed_ = nullptr;
};

}  // namespace OPSRUN_HIDDEN
