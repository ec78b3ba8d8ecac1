// tests/conform/zoo_handles.cc: ops that share counters, with one fault each, which exactly one check of `opsrun test`
// must find: zoo_test.py says which.
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include "opsrun/common_shape_fns.h"
#include "opsrun/mutex.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"
#include "opsrun/plugin.h"
#include "opsrun/resource_base.h"
#include "opsrun/resource_mgr.h"

OPSRUN_PLUGIN("zoo_handles", "1.0.0");

namespace opsrun {
namespace {

using shape_inference::ScalarShape;

struct Counter : ResourceBase {
  std::string DebugString() const override { return "a counter"; }

  mutex lock;
  int32 value = 0;
};

using CounterPtr = core::RefCountPtr<Counter>;

REGISTER_OP("Counter")
    .Output("counter: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("start: int >= 0")
    .SetIsStateful()
    .SetShapeFn(ScalarShape);

class CounterOp : public ResourceOpKernel<Counter> {
 public:
  explicit CounterOp(OpKernelConstruction* context) : ResourceOpKernel<Counter>(context) {
    OP_REQUIRES_OK(context, context->GetAttr("start", &start_));
  }

 private:
  Status CreateResource(Counter** counter) override {
    *counter = new Counter;
    (*counter)->value = start_;
    return Status::OK();
  }

  int32 start_ = 0;
};
REGISTER_KERNEL_BUILDER(Name("Counter").Device(DEVICE_CPU), CounterOp);

// Calls Run(counter, amount) of the fault, whose result is output `value`.
template <typename Fault>
class CounterKernel : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    CounterPtr counter;
    OP_REQUIRES_OK(context, Fault::Find(context, &counter));
    OP_REQUIRES(context, TensorShapeUtils::IsScalar(context->input(1).shape()),
                errors::InvalidArgument("amount must be a scalar"));
    const int32 value = fault_.Run(counter.get(), context->input(1).scalar<int32>()());
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({}), &output));
    output->scalar<int32>()() = value;
  }

 private:
  Fault fault_;
};

struct Right {
  static Status Find(OpKernelContext* context, CounterPtr* counter) {
    return LookupResource(context, HandleFromInput(context, 0), counter);
  }
  static int32 Run(Counter* counter, int32 amount) {
    mutex_lock lock(counter->lock);
    return counter->value += amount;
  }
};

#define COUNTER_OP(name)          \
  REGISTER_OP(#name)              \
      .Input("counter: resource") \
      .Input("amount: int32")     \
      .Output("value: int32")     \
      .SetIsStateful()            \
      .SetShapeFn(ScalarShape);   \
  REGISTER_KERNEL_BUILDER(Name(#name).Device(DEVICE_CPU), CounterKernel<name##Fault>)

struct RaiseFault : Right {};
COUNTER_OP(Raise);

// ---- errors
struct TrustsHandleFault {
  static Status Find(OpKernelContext* context, CounterPtr*) {
    const opsrun_resource* const handle = *static_cast<const opsrun_resource* const*>(context->input(0).data());
    return handle == nullptr ? errors::InvalidArgument("counter is a null handle") : Status::OK();
  }
  static int32 Run(Counter*, int32 amount) { return amount; }
};
COUNTER_OP(TrustsHandle);

struct TrustsNullFault : Right {
  static Status Find(OpKernelContext* context, CounterPtr* counter) {
    const auto* const handle = *static_cast<const volatile opsrun_resource* const*>(context->input(0).data());
    return handle->size == 0 ? errors::Internal("no handle") : Right::Find(context, counter);
  }
};
COUNTER_OP(TrustsNull);

// ---- repeat
struct CountsInKernelFault : Right {
  int32 Run(Counter* counter, int32 amount) { return Right::Run(counter, amount) + calls++; }
  int32 calls = 0;
};
COUNTER_OP(CountsInKernel);

// ---- threads
struct LosesUpdatesFault : Right {
  static int32 Run(Counter* counter, int32 amount) {
    const int32 value = Right::Run(counter, 0);
    usleep(100);
    mutex_lock lock(counter->lock);
    return counter->value = value + amount + 1;
  }
};
COUNTER_OP(LosesUpdates);

// ---- leaks
struct KeepsObjectFault : Right {
  static int32 Run(Counter* counter, int32 amount) {
    counter->Ref();
    return Right::Run(counter, amount);
  }
};
COUNTER_OP(KeepsObject);

// ---- Without an op that makes what it takes.
REGISTER_OP("WantsVariant").Input("x: variant").Output("y: int32").SetShapeFn(ScalarShape);
REGISTER_KERNEL_BUILDER(Name("WantsVariant").Device(DEVICE_CPU), CounterKernel<Right>);

}  // namespace
}  // namespace opsrun
