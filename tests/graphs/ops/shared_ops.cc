// tests/graphs/ops/shared_ops.cc: ops of strings, of tensors as attrs, and of objects that nodes share.
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "opsrun/common_shape_fns.h"
#include "opsrun/mutex.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"
#include "opsrun/resource_mgr.h"
#include "opsrun/shape_inference.h"

namespace opsrun {

REGISTER_OP("TestGreet")
    .Attr("greeting: string = 'hello'")
    .Input("names: string")
    .Output("greetings: string")
    .SetShapeFn(shape_inference::UnchangedShape);
REGISTER_OP("TestConst").Attr("value: tensor").Attr("T: type").Output("value_again: T");
REGISTER_OP("TestCounter")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Output("counter: resource")
    .SetShapeFn(shape_inference::ScalarShape);
REGISTER_OP("TestCount").Input("counter: resource").Output("count: int64").SetShapeFn(shape_inference::ScalarShape);
REGISTER_OP("TestCountUp").Input("counter: resource").SetIsStateful().SetShapeFn(shape_inference::NoOutputs);

class TestGreetOp : public OpKernel {
 public:
  explicit TestGreetOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("greeting", &greeting_));
  }
  void Compute(OpKernelContext* context) override {
    const auto names = context->input(0).flat<tstring>();
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, context->input(0).shape(), &output));
    auto greetings = output->flat<tstring>();
    for (int64 i = 0; i < names.size(); ++i) greetings(i) = greeting_ + " " + std::string(names(i));
  }

 private:
  std::string greeting_;
};
REGISTER_KERNEL_BUILDER(Name("TestGreet").Device(DEVICE_CPU), TestGreetOp)

class TestConstOp : public OpKernel {
 public:
  explicit TestConstOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("value", &value_));
    OP_REQUIRES(context, value_.dtype() == output_type(0),
                errors::InvalidArgument("value is of type ", DataTypeString(value_.dtype()), ", T is ",
                                        DataTypeString(output_type(0)))
                    .Blame("attr:value"));
  }
  void Compute(OpKernelContext* context) override { context->set_output(0, value_); }

 private:
  Tensor value_;
};
REGISTER_KERNEL_BUILDER(Name("TestConst").Device(DEVICE_CPU), TestConstOp)

struct Counter : ResourceBase {
  mutex lock;
  int64 count = 0;
};

class TestCounterOp : public ResourceOpKernel<Counter> {
 public:
  using ResourceOpKernel::ResourceOpKernel;

 private:
  Status CreateResource(Counter** counter) override {
    *counter = new Counter;
    return Status();
  }
};
REGISTER_KERNEL_BUILDER(Name("TestCounter").Device(DEVICE_CPU), TestCounterOp)

class TestCountUpOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    core::RefCountPtr<Counter> counter;
    OP_REQUIRES_OK(context, LookupResource(context, HandleFromInput(context, 0), &counter));
    const mutex_lock lock(counter->lock);
    ++counter->count;
  }
};
REGISTER_KERNEL_BUILDER(Name("TestCountUp").Device(DEVICE_CPU), TestCountUpOp)

class TestCountOp : public OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(OpKernelContext* context) override {
    core::RefCountPtr<Counter> counter;
    OP_REQUIRES_OK(context, LookupResource(context, HandleFromInput(context, 0), &counter));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape(), &output));
    const mutex_lock lock(counter->lock);
    output->scalar<int64>()() = counter->count;
  }
};
REGISTER_KERNEL_BUILDER(Name("TestCount").Device(DEVICE_CPU), TestCountOp)

}  // namespace opsrun
