// opsrun_compat/container_info.h: ContainerInfo, the name of a kernel's object; and kernels for its handle.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/resource_mgr.h"
#include "opsrun_compat/node_def.h"
#include "opsrun_compat/variant.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

class ContainerInfo {
 public:
  // INVALID_ARGUMENT: the attr shared_name begins with '_'. Without that attr, the name is the node's, or a unique one.
  ReturnedStatus Init(const ResourceMgr* resources, const NodeDef& node, bool use_node_name_as_default = false) {
    TF_RETURN_IF_ERROR(GetNodeAttr(node, "container", &container_));
    TF_RETURN_IF_ERROR(GetNodeAttr(node, "shared_name", &name_));
    if (!name_.empty() && name_[0] == '_') {
      return errors::InvalidArgument("shared_name is '", name_, "'; names that begin with '_' are private to nodes");
    }
    if (container_.empty()) container_ = resources->default_container();
    is_private_ = name_.empty() && !use_node_name_as_default;
    if (name_.empty()) name_ = use_node_name_as_default ? node.name() : internal::PrivateName(node.name());
    return Status();
  }

  const std::string& container() const { return container_; }
  const std::string& name() const { return name_; }
  bool resource_is_private_to_kernel() const { return is_private_; }
  std::string DebugString() const {
    return "[" + container_ + "," + name_ + "," + (is_private_ ? "private" : "public") + "]";
  }

  // For destructors of kernels, which delete a private object. Does nothing: the host does that when the engine ends.
  class EndOfKernel {
   public:
    template <typename T>
    ReturnedStatus Delete(const std::string& /*container*/, const std::string& /*name*/) {
      return Status();
    }
  };
  EndOfKernel* resource_manager() { return &end_; }

 private:
  std::string container_, name_;
  bool is_private_ = false;
  EndOfKernel end_;
};

// Makes output i the handle of an object, a scalar. NOT_FOUND: the object does not exist yet.
inline ReturnedStatus MakeResourceHandleToOutput(OpKernelContext* context, int i, const std::string& container,
                                                 const std::string& name, const TypeIndex& type) {
  ResourceHandle handle;
  TF_RETURN_IF_ERROR(internal::ResourceCall(context->call(), container, name, type.name()).Find(&handle));
  Tensor* output = nullptr;
  TF_RETURN_IF_ERROR(context->allocate_output(i, TensorShape({}), &output));
  output->scalar<ResourceHandle>()() = handle;
  return Status();
}

// The handle of an object that another kernel creates, named by attrs; without shared_name, each node's own.
template <typename T>
class ResourceHandleOp : public OpKernel {
 public:
  explicit ResourceHandleOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("container", &container_));
    OP_REQUIRES_OK(context, context->GetAttr("shared_name", &name_));
    if (container_.empty()) container_ = internal::DefaultContainer();
    if (name_.empty()) name_ = internal::PrivateName(name());
  }
  void Compute(OpKernelContext* context) override {
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({}), &output));
    // Always the handle of the Place, because it is kept while objects are created and deleted.
    const auto find = [&](ResourceHandle* found) {
      return internal::FindOrMakePlace(context->resource_manager(), container_, name_, internal::PlaceText<T>(), found);
    };
    const ResourceHandle* handle = nullptr;
    OP_REQUIRES_OK(context, handle_.Get(find, &handle));
    output->scalar<ResourceHandle>()() = *handle;
  }
  bool IsExpensive() override { return false; }

 private:
  std::string container_, name_;
  internal::KeptHandle handle_;
};

// Outputs a scalar bool: whether the handle in the first input has an object.
template <typename T>
class IsResourceInitialized : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({}), &output));
    core::RefCountPtr<T> object;
    output->scalar<bool>()() = LookupResource(context, HandleFromInput(context, 0), &object).ok();
  }
};

}  // namespace OPSRUN_HIDDEN

#define REGISTER_RESOURCE_HANDLE_OP(Type) \
  REGISTER_OP(#Type "HandleOp")           \
      .Attr("container: string = ''")     \
      .Attr("shared_name: string = ''")   \
      .Output("resource: resource")       \
      .SetIsStateful()                    \
      .SetShapeFn(::tensorflow::shape_inference::ScalarShape)
#define REGISTER_RESOURCE_HANDLE_KERNEL(Type) \
  REGISTER_KERNEL_BUILDER(Name(#Type "HandleOp").Device(DEVICE_CPU), ResourceHandleOp<Type>)
