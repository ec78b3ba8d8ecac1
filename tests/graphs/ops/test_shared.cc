// tests/graphs/ops/test_shared.cc: a counter that nodes and runs share.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/mutex.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"
#include "opsrun/resource_mgr.h"

namespace test_shared {

using namespace opsrun;

REGISTER_OP("TestCounter")
    .Output("counter: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape);

REGISTER_OP("TestCount")
    .Input("counter: resource")
    .Input("amount: int64")
    .Output("total: int64")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape);

// [object]
class Counter : public ResourceBase {
 public:
  int64 Add(int64 amount) {
    mutex_lock lock(mutex_);
    total_ += amount;
    return total_;
  }

 private:
  mutex mutex_;
  int64 total_ TF_GUARDED_BY(mutex_) = 0;
};
// [/object]

// [maker]
class CounterOp : public ResourceOpKernel<Counter> {
 public:
  using ResourceOpKernel<Counter>::ResourceOpKernel;

 private:
  Status CreateResource(Counter** counter) override {
    *counter = new Counter;
    return Status::OK();
  }
};
// [/maker]

// [user]
class CountOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    core::RefCountPtr<Counter> counter;
    OP_REQUIRES_OK(context, LookupResource(context, HandleFromInput(context, 0), &counter));
    Tensor* total = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape(), &total));
    total->scalar<int64>()() = counter->Add(context->input(1).scalar<int64>()());
  }
};
// [/user]

REGISTER_KERNEL_BUILDER(Name("TestCounter").Device(DEVICE_CPU), CounterOp);
REGISTER_KERNEL_BUILDER(Name("TestCount").Device(DEVICE_CPU), CountOp);

}  // namespace test_shared
