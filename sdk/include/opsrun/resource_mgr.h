// opsrun/resource_mgr.h: objects that kernels share: ResourceBase, ResourceMgr, their handles, ResourceOpKernel.
//
// The host keeps an object from its creation until the engine ends. Objects are looked up by container, name and C++
// type, and are visible only to kernels of the plugin that created them. Every function here may be called from any
// thread of the call or constructor that owns the context. An object that several threads use must do its own locking.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <type_traits>

#include "opsrun/c_api.h"
#include "opsrun/common_shape_fns.h"
#include "opsrun/internal/resource_call.h"
#include "opsrun/namespace.h"
#include "opsrun/op_kernel.h"
#include "opsrun/resource_base.h"
#include "opsrun/resource_handle.h"
#include "opsrun/status.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// Has no members: a ResourceMgr* is the address of the frame of its call or constructor.
class ResourceMgr {
 public:
  ResourceMgr() = delete;
  ResourceMgr(const ResourceMgr&) = delete;

  const std::string& default_container() const { return internal::DefaultContainer(); }

  // Stores the object under a name. Takes over the caller's reference, even on failure. ALREADY_EXISTS: the name is
  // taken.
  template <typename T>
  ReturnedStatus Create(std::string_view container, std::string_view name, T* resource) {
    bool is_ours = false;
    const auto make = [&](ResourceBase** made) {
      is_ours = true;
      *made = resource;
      return Status();
    };
    ResourceHandle handle;
    const Status status = Call<T>(container, name).FindOrMake(make, &handle);
    if (!is_ours) resource->Unref();
    return !status.ok() || is_ours ? status : Call<T>(container, name).AlreadyExists();
  }

  // *resource gets a new reference, which the caller must Unref. NOT_FOUND: there is no such object.
  template <typename T>
  ReturnedStatus Lookup(std::string_view container, std::string_view name, T** resource) const {
    ResourceHandle handle;
    TF_RETURN_IF_ERROR(Call<T>(container, name).Find(&handle));
    *resource = internal::Referred<T>(handle);
    return Status();
  }

  // Like Lookup, but creates the object if it does not exist: creator(T**) returns it with one reference. Only one
  // thread runs creator, and creator must not call the manager or the context.
  template <typename T>
  ReturnedStatus LookupOrCreate(std::string_view container, std::string_view name, T** resource,
                                const std::function<Status(T**)>& creator) {
    ResourceHandle handle;
    TF_RETURN_IF_ERROR(LookupOrCreateHandle<T>(container, name, &handle, creator));
    *resource = internal::Referred<T>(handle);
    return Status();
  }
  template <typename T>
  ReturnedStatus LookupOrCreateHandle(std::string_view container, std::string_view name, ResourceHandle* handle,
                                      const std::function<Status(T**)>& creator) {
    const auto make = [&](ResourceBase** made) {
      T* fresh = nullptr;
      const Status status = creator(&fresh);
      *made = fresh;
      return status;
    };
    return Call<T>(container, name).FindOrMake(make, handle);
  }

  // Removes the object from the table; it lives until its last reference is released. NOT_FOUND: there is no such
  // object.
  template <typename T>
  ReturnedStatus Delete(std::string_view container, std::string_view name) {
    return Call<T>(container, name).Delete();
  }
  ReturnedStatus Delete(const ResourceHandle& handle);

 private:
  template <typename T>
  internal::ResourceCall Call(std::string_view container, std::string_view name) const {
    static_assert(std::is_base_of_v<ResourceBase, T>, "a resource is derived from ResourceBase");
    return {frame(), container, name, internal::TypeText<T>()};
  }
  void* frame() const { return const_cast<ResourceMgr*>(this); }
};

inline ReturnedStatus ResourceMgr::Delete(const ResourceHandle& handle) {
  if (handle.resource() == nullptr) return errors::NotFound("The handle refers to no resource");
  return internal::ResourceCall(frame(), handle.container(), handle.name(), handle.maybe_type_name()).Delete();
}

// The handle in input `i`, which must be a tensor with one element.
inline const ResourceHandle& HandleFromInput(OpKernelContext* context, int i) {
  const auto handles = context->input(i).flat<ResourceHandle>();
  if (handles.size() != 1)
    internal::Fail(errors::InvalidArgument("A resource was expected as input ", i, ", found ", handles.size()));
  return handles(0);
}
inline ReturnedStatus HandleFromInput(OpKernelContext* context, std::string_view name, ResourceHandle* handle) {
  const Tensor* tensor = nullptr;
  TF_RETURN_IF_ERROR(context->input(name, &tensor));
  const auto handles = tensor->flat<ResourceHandle>();
  if (handles.size() != 1)
    return errors::InvalidArgument("A resource was expected as input ", std::string(name), ", found ", handles.size());
  *handle = handles(0);
  return Status();
}

inline ReturnedStatus HandleFromInput(OpKernelContext* context, int i, ResourceHandle* handle) {
  const auto handles = context->input(i).flat<ResourceHandle>();
  if (handles.size() != 1)
    return errors::InvalidArgument("A resource was expected as input ", i, ", found ", handles.size());
  *handle = handles(0);
  return Status();
}

// A handle of an object, which may be created later: CreateResource and LookupOrCreateResource take the handle. An
// empty container is the default one. The shapes and the trace are ignored.
template <typename T, typename Context, typename Trace = int>
ResourceHandle MakeResourceHandle(Context* context, std::string_view container, std::string_view name,
                                  internal::IgnoredShapes = {}, const Trace& = {}) {
  if (container.empty()) container = internal::DefaultContainer();
  void* const frame = context->resource_manager();
  ResourceHandle handle;
  if (internal::ResourceCall(frame, container, name, internal::TypeText<T>()).Find(&handle).ok()) return handle;
  internal::FailUnlessOk(internal::FindOrMakePlace(frame, container, name, internal::PlaceText<T>(), &handle));
  return handle;
}

template <typename T, typename Trace>
ResourceHandle ResourceHandle::MakeRefCountingHandle(T* resource, const std::string&, internal::IgnoredShapes, Trace) {
  static_assert(std::is_base_of_v<ResourceBase, T>, "a resource is derived from ResourceBase");
  ResourceHandle handle;
  ResourceBase* const object = resource;
  handle.unnamed_ = new internal::Unnamed(object, internal::TypeText<T>(), &opsrun_sdk_destroy_resource);
  return handle;
}

template <typename T, typename AnyStatus>
internal::Found<T, AnyStatus> ResourceHandle::GetResource() const {
  const Status status = internal::CheckHandle(*this, internal::TypeText<T>());
  return {status, status.ok() ? internal::Object<T>(*this) : nullptr};
}

// A handle for an object of this run, which CreateResource sets. The object lives as long as its handles.
template <typename T>
ResourceHandle MakePerStepResourceHandle(OpKernelContext* /*context*/, std::string_view /*name*/) {
  return ResourceHandle::MakeRefCountingHandle<T>(nullptr, std::string());
}
// Takes over the caller's reference, even on failure. ALREADY_EXISTS: the handle already has an object.
template <typename T>
ReturnedStatus CreateResource(OpKernelContext* context, const ResourceHandle& handle, T* resource) {
  if (const internal::Place* place = internal::PlaceOf<T>(handle)) {
    return context->resource_manager()->Create(place->container(), place->name(), resource);
  }
  ResourceBase* const object = resource;
  if (handle.unnamed() != nullptr && handle.unnamed()->SetObject(object)) return Status();
  object->Unref();
  return errors::AlreadyExists("The handle refers to resource '", handle.DebugString(), "' already");
}

// *resource gets a new reference, which the caller must Unref. INVALID_ARGUMENT: the handle is of another type or of
// another plugin. NOT_FOUND: there is no object yet.
template <typename T, bool kIgnored = false>
ReturnedStatus LookupResource(OpKernelContext* context, const ResourceHandle& handle, T** resource) {
  if (TF_PREDICT_TRUE(internal::RefersTo(handle, internal::TypeText<T>()))) {
    *resource = internal::Referred<T>(handle);
    return Status();
  }
  const internal::Place* place = internal::PlaceOf<T>(handle);
  if (place == nullptr) return internal::CheckHandle(handle, internal::TypeText<T>());
  return context->resource_manager()->Lookup(place->container(), place->name(), resource);
}
template <typename T>
ReturnedStatus LookupResource(OpKernelContext* context, const ResourceHandle& handle, core::RefCountPtr<T>* resource) {
  T* found = nullptr;
  TF_RETURN_IF_ERROR(LookupResource(context, handle, &found));
  resource->reset(found);
  return Status();
}
template <typename T>
ReturnedStatus GetResourceFromContext(OpKernelContext* context, std::string_view input, T** resource) {
  ResourceHandle handle;
  TF_RETURN_IF_ERROR(HandleFromInput(context, input, &handle));
  return LookupResource(context, handle, resource);
}

// Like LookupResource, but creates the object if there is none: creator(T**) returns it with one reference. Only one
// thread runs creator, and creator must not call the manager or the context.
template <typename T, typename Creator>
ReturnedStatus LookupOrCreateResource(OpKernelContext* context, const ResourceHandle& handle, T** resource,
                                      const Creator& creator) {
  const internal::Place* place = internal::PlaceOf<T>(handle);
  if (place == nullptr) return LookupResource(context, handle, resource);
  return context->resource_manager()->template LookupOrCreate<T>(place->container(), place->name(), resource, creator);
}
template <typename T, typename Creator>
ReturnedStatus LookupOrCreateResource(OpKernelContext* context, const ResourceHandle& handle,
                                      core::RefCountPtr<T>* resource, const Creator& creator) {
  T* found = nullptr;
  TF_RETURN_IF_ERROR(LookupOrCreateResource(context, handle, &found, creator));
  resource->reset(found);
  return Status();
}

template <typename T>
ReturnedStatus DeleteResource(OpKernelContext* context, const ResourceHandle& handle) {
  if (const internal::Place* place = internal::PlaceOf<T>(handle)) {
    return context->resource_manager()->template Delete<T>(place->container(), place->name());
  }
  TF_RETURN_IF_ERROR(internal::CheckHandle(handle, internal::TypeText<T>()));
  return context->resource_manager()->Delete(handle);
}

// A kernel whose only output is the handle of an object that it creates when it first runs. The string attrs container
// and shared_name identify the object: without shared_name, every node has its own.
template <typename T>
class ResourceOpKernel : public OpKernel {
 public:
  explicit ResourceOpKernel(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("container", &container_));
    OP_REQUIRES_OK(context, context->GetAttr("shared_name", &name_));
    OP_REQUIRES(context, name_.empty() || name_[0] != '_',
                internal::Invalid({"shared_name is '", name_, "'; names that begin with '_' are private to nodes"})
                    .Blame("attr:shared_name"));
    if (container_.empty()) container_ = internal::DefaultContainer();
    if (name_.empty()) name_ = internal::PrivateName(name());
  }

  void Compute(OpKernelContext* context) override {
    const ResourceHandle* handle = nullptr;
    OP_REQUIRES_OK(context, handle_.Get([&](ResourceHandle* found) { return FindOrMake(context, found); }, &handle));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape(), &output));
    output->scalar<ResourceHandle>()() = *handle;
  }

 private:
  Status FindOrMake(OpKernelContext* context, ResourceHandle* found) {
    TF_RETURN_IF_ERROR(context->resource_manager()->template LookupOrCreateHandle<T>(
        container_, name_, found, [this](T** made) { return CreateResource(made); }));
    return VerifyResource(internal::Object<T>(*found));
  }

  // Creates the object, with one reference.
  virtual Status CreateResource(T** resource) = 0;
  // Returns OK if this node can use an object that another node created.
  virtual Status VerifyResource(T* /*resource*/) { return Status(); }

  std::string container_, name_;
  internal::KeptHandle handle_;
};

}  // namespace OPSRUN_HIDDEN
