// opsrun/internal/resource_place.h: the place of an object that may not exist yet, which handles refer to instead; and
// the handle that a kernel keeps.
//
// A host knows only handles of objects. So a handle that is made before its object is one of a Place, which has the key
// of the object: the object is looked up by it each time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "opsrun/internal/resource_call.h"
#include "opsrun/namespace.h"
#include "opsrun/resource_base.h"
#include "opsrun/resource_handle.h"
#include "opsrun/status.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

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

// NULL: the handle is not of the place of an object of type T.
template <typename T>
const Place* PlaceOf(const ResourceHandle& handle) {
  return RefersTo(handle, PlaceText<T>()) ? Object<Place>(handle) : nullptr;
}

// The handle that a kernel outputs in each call, which is found or made by the first one. Any thread.
class KeptHandle {
 public:
  KeptHandle() = default;
  KeptHandle(const KeptHandle&) = delete;
  ~KeptHandle() { delete handle_; }

  // find(ResourceHandle*) returns a Status. Several threads may run it at once: one of the handles is kept.
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
  ResourceHandle* handle_ = nullptr;  // set once, atomically, so that later calls do not ask the host
};

}  // namespace internal
}  // namespace OPSRUN_HIDDEN
