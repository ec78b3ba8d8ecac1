// opsrun/internal/resource_place.h: the place of an object that may not exist yet, which handles refer to instead.
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
  return CheckHandle(handle, PlaceText<T>()).ok() ? Object<Place>(handle) : nullptr;
}

}  // namespace internal
}  // namespace OPSRUN_HIDDEN
