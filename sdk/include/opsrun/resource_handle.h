// opsrun/resource_handle.h: ResourceHandle, an element of a resource tensor: a counted reference to a shared object.
//
// It passes through a graph as a tensor of type resource. The object lives as long as a handle or the host's table
// holds it. Use LookupResource (resource_mgr.h) to get the object.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "opsrun/c_api.h"
#include "opsrun/namespace.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

class ResourceHandle {
 public:
  ResourceHandle() = default;  // refers to nothing
  ResourceHandle(const ResourceHandle& other) : ResourceHandle(Share(other.resource_)) {}
  ResourceHandle(ResourceHandle&& other) noexcept : resource_(std::exchange(other.resource_, nullptr)) {}
  ResourceHandle& operator=(ResourceHandle other) noexcept {
    std::swap(resource_, other.resource_);
    return *this;
  }
  ~ResourceHandle() {
    if (resource_ != nullptr) resource_->host->resource_release(resource_);
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

  // The key of the object. Empty if the handle refers to nothing.
  std::string container() const { return resource_ == nullptr ? std::string() : Text(resource_->container); }
  std::string name() const { return resource_ == nullptr ? std::string() : Text(resource_->name); }
  std::string maybe_type_name() const { return resource_ == nullptr ? std::string() : Text(resource_->type); }
  std::string DebugString() const {
    return resource_ == nullptr ? "no resource" : maybe_type_name() + " " + container() + "/" + name();
  }

  // For direct calls of the functions of c_api.h.
  const opsrun_resource* resource() const { return resource_; }

 private:
  static std::string Text(const opsrun_str& text) { return text.size == 0 ? "" : std::string(text.data, text.size); }

  const opsrun_resource* resource_ = nullptr;
};

}  // namespace OPSRUN_HIDDEN
