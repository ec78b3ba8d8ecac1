// opsrun/internal/resource_call.h: connects the C++ classes of resources with the host's table.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "opsrun/c_api.h"
#include "opsrun/internal/registration.h"
#include "opsrun/namespace.h"
#include "opsrun/resource_base.h"
#include "opsrun/resource_handle.h"
#include "opsrun/status.h"

// It has C linkage, because files that use different namespaces (see namespace.h) share it.
extern "C" __attribute__((visibility("hidden"))) inline void opsrun_sdk_destroy_resource(void* object) {
  static_cast<::OPSRUN_NAMESPACE::ResourceBase*>(object)->Unref();
}

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

inline const std::string& DefaultContainer() {
  static const std::string name = "localhost";
  return name;
}

// Extracts the type from the name of a function, as the compiler writes it. Two files may each have a class of the same
// name in an unnamed namespace, so such names get a number.
OPSRUN_COLD inline std::string TypeIn(std::string_view function) {
  static int last = 0;
  const size_t begin = function.find("T = ") + 4;
  const std::string type(function.substr(begin, function.find_first_of(";]", begin) - begin));
  if (type.find("anonymous") == std::string::npos) return type;
  return Format("%s #%d", type.c_str(), __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED));
}

// The name of T, without run-time type information.
template <typename T>
std::string_view TypeText() {
  static const std::string text = TypeIn(__PRETTY_FUNCTION__);
  return text;
}

// A name that is unique to a kernel object. A new kernel object at the address of a deleted one gets another name,
// because objects that the deleted one made may still exist.
OPSRUN_COLD inline std::string PrivateName(const std::string& node) {
  static long long last = 0;
  return Format("_%lld_%s", __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED), node.c_str());
}

// A request to the host's table.
class ResourceCall {
 public:
  // `where` is a call or a create.
  ResourceCall(void* where, std::string_view container, std::string_view name, std::string_view type)
      : host_(HostOf(where)), where_(where), container_(container), name_(name), type_(type) {}

  // make(ResourceBase**) returns a Status.
  template <typename Make>
  Status FindOrMake(const Make& make, ResourceHandle* handle) const {
    Making<Make> making{make, {}};
    const opsrun_resource* found = nullptr;
    const int32_t code = host_->resource(where_, Str(container_), Str(name_), Str(type_), &Making<Make>::Run, &making,
                                         &opsrun_sdk_destroy_resource, &found);
    if (!making.status.ok()) return making.status;
    return Take(code, found, handle);
  }
  Status Find(ResourceHandle* handle) const {
    const opsrun_resource* found = nullptr;
    const int32_t code =
        host_->resource(where_, Str(container_), Str(name_), Str(type_), nullptr, nullptr, nullptr, &found);
    return Take(code, found, handle);
  }
  Status Delete() const { return AsStatus(host_->resource_delete(where_, Str(container_), Str(name_), Str(type_))); }

  OPSRUN_COLD Status AlreadyExists() const { return AsStatus(OPSRUN_ALREADY_EXISTS); }

 private:
  template <typename Make>
  struct Making {
    const Make& make;
    Status status;

    static int32_t Run(void* ctx, void** object) {
      auto* self = static_cast<Making*>(ctx);
      ResourceBase* made = nullptr;
      self->status = Guarded([&] { return self->make(&made); });
      *object = made;
      return self->status.ok() ? OPSRUN_OK : static_cast<int32_t>(self->status.code());
    }
  };

  static const opsrun_host* HostOf(void* where) {
    auto* call = static_cast<opsrun_call*>(where);
    return call->kind == OPSRUN_KIND_CREATE ? static_cast<opsrun_create*>(where)->host : call->host;
  }
  static opsrun_str Str(std::string_view text) { return {text.data(), text.size()}; }

  Status Take(int32_t code, const opsrun_resource* found, ResourceHandle* handle) const {
    if (code == OPSRUN_OK) *handle = ResourceHandle::Adopt(found);
    return AsStatus(code);
  }

  OPSRUN_COLD Status AsStatus(int32_t code) const {
    if (code == OPSRUN_OK) return Status();
    const char* what = code == OPSRUN_NOT_FOUND             ? "There is no resource"
                       : code == OPSRUN_ALREADY_EXISTS      ? "There is already a resource"
                       : code == OPSRUN_FAILED_PRECONDITION ? "A resource that is being made asks for resource"
                                                            : "The host gives no resource";
    return Error(static_cast<error::Code>(code), "%s '%s' of type %s in container '%s'", what,
                 std::string(name_).c_str(), std::string(type_).c_str(), std::string(container_).c_str());
  }

  const opsrun_host* host_;
  void* where_;
  std::string_view container_, name_, type_;
};

// Requires: the handle refers to an object of type T.
template <typename T>
T* Object(const ResourceHandle& handle) {
  void* const object = handle.resource() == nullptr ? handle.unnamed()->object() : handle.resource()->obj;
  return static_cast<T*>(static_cast<ResourceBase*>(object));
}

// Takes a new reference for the caller.
template <typename T>
T* Referred(const ResourceHandle& handle) {
  T* object = Object<T>(handle);
  object->Ref();
  return object;
}

// Whether this plugin made the object, with this type.
inline bool IsOurs(const opsrun_resource* resource, std::string_view type) {
  void* object = nullptr;
  return resource->host->resource_object(resource, &opsrun_sdk_table, {type.data(), type.size()}, &object) == OPSRUN_OK;
}

// Whether the handle refers to an object of this plugin and type.
inline bool RefersTo(const ResourceHandle& handle, std::string_view type) {
  const opsrun_resource* resource = handle.resource();
  const Unnamed* unnamed = handle.unnamed();
  if (resource == nullptr) return unnamed != nullptr && unnamed->object() != nullptr && unnamed->type() == type;
  return IsOurs(resource, type);
}

// INVALID_ARGUMENT unless RefersTo(handle, type).
OPSRUN_COLD inline Status CheckHandle(const ResourceHandle& handle, std::string_view type) {
  if (RefersTo(handle, type)) return Status();
  const opsrun_resource* resource = handle.resource();
  if (resource == nullptr)
    return ErrorOf(error::INVALID_ARGUMENT, {"The handle refers to no resource, expected ", type});
  const bool is_ours = IsOurs(resource, handle.maybe_type_name());
  return ErrorOf(error::INVALID_ARGUMENT,
                 {"The handle refers to resource '", handle.name(), "' of type ", handle.maybe_type_name(),
                  is_ours ? "" : " of another plugin", ", expected ", type});
}

// Place stands for an object that may not exist yet; KeptHandle is a handle that a kernel keeps.
//
// The host has handles only of existing objects. So a handle that is created before its object refers to a Place, which
// has the key of the object: each use looks the object up by that key.

class Place : public ResourceBase {
 public:
  Place(std::string_view container, std::string_view name) : container_(container), name_(name) {}
  const std::string& container() const { return container_; }
  const std::string& name() const { return name_; }
  std::string DebugString() const override { return "the place of " + container_ + "/" + name_; }

 private:
  const std::string container_, name_;
};

// Never defined: the type of places of objects of type T.
template <typename T>
class TypedPlace;
template <typename T>
std::string_view PlaceText() {
  return TypeText<TypedPlace<T>>();
}

OPSRUN_COLD inline Status FindOrMakePlace(void* frame, std::string_view container, std::string_view name,
                                          std::string_view type, ResourceHandle* handle) {
  const auto make = [&](ResourceBase** made) {
    *made = new Place(container, name);
    return Status();
  };
  return ResourceCall(frame, container, name, type).FindOrMake(make, handle);
}

// NULL: the handle does not refer to a Place of an object of type T.
template <typename T>
const Place* PlaceOf(const ResourceHandle& handle) {
  return RefersTo(handle, PlaceText<T>()) ? Object<Place>(handle) : nullptr;
}

// The handle that a kernel outputs in each call, which the first call looks up or creates. Thread-safe.
class KeptHandle {
 public:
  KeptHandle() = default;
  KeptHandle(const KeptHandle&) = delete;
  ~KeptHandle() { delete handle_; }

  // find(ResourceHandle*) returns a Status. Several threads may run it concurrently: one of the handles is kept.
  template <typename Find>
  Status Get(const Find& find, const ResourceHandle** handle) {
    *handle = __atomic_load_n(&handle_, __ATOMIC_ACQUIRE);
    if (*handle != nullptr) return Status();
    ResourceHandle found;
    TF_RETURN_IF_ERROR(find(&found));
    auto* kept = new ResourceHandle(found);
    ResourceHandle* none = nullptr;
    const bool is_first = __atomic_compare_exchange_n(&handle_, &none, kept, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    if (!is_first) delete kept;
    *handle = is_first ? kept : none;
    return Status();
  }

 private:
  ResourceHandle* handle_ = nullptr;  // set once, atomically; later calls do not ask the host
};

}  // namespace internal
}  // namespace OPSRUN_HIDDEN
