// opsrun_compat/resource_handle_op.h: kernels of ops that return a handle, and that tell whether it has an object.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/resource_mgr.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// The handle of an object that another kernel makes. The string attrs container and shared_name identify the object:
// without shared_name, every node has its own.
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
    // Always of the place, because it is kept while objects come and go.
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

// A scalar bool: whether the handle in the first input has an object.
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
