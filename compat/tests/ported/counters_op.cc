// compat/tests/ported/counters_op.cc: an op in the style of TensorFlow 1: its attrs name an object that it keeps.
// SPDX-License-Identifier: Apache-2.0
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/framework/type_index.h"

using namespace tensorflow;

class Counter : public ResourceBase {
 public:
  int64 Add(int64 number) {
    mutex_lock lock(mu_);
    return sum_ += number;
  }
  string DebugString() override { return "a counter"; }

 private:
  mutex mu_;
  int64 sum_ GUARDED_BY(mu_) = 0;
};

REGISTER_OP("Counter")
    .Output("handle: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape);

REGISTER_OP("CountUp")
    .Input("handle: resource")
    .Input("number: int64")
    .Output("sum: int64")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape);

class CounterOp : public OpKernel {
 public:
  explicit CounterOp(OpKernelConstruction* context) : OpKernel(context), is_made_(false) {
    OP_REQUIRES_OK(context, context->allocate_persistent(DT_INT64, TensorShape({}), &calls_, nullptr));
    calls_.AccessTensor(context)->scalar<int64>()() = 0;
  }
  ~CounterOp() override {
    if (is_made_ && container_.resource_is_private_to_kernel()) {
      container_.resource_manager()->Delete<Counter>(container_.container(), container_.name()).IgnoreError();
    }
  }

  void Compute(OpKernelContext* context) override LOCKS_EXCLUDED(mu_) {
    mutex_lock lock(mu_);
    if (!is_made_) OP_REQUIRES_OK(context, Make(context));
    ++calls_.AccessTensor(context)->scalar<int64>()();
    OP_REQUIRES_OK(context, MakeResourceHandleToOutput(context, 0, container_.container(), container_.name(),
                                                       MakeTypeIndex<Counter>()));
  }

 private:
  Status Make(OpKernelContext* context) EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    TF_RETURN_IF_ERROR(container_.Init(context->resource_manager(), def(), true));
    Counter* counter = nullptr;
    TF_RETURN_IF_ERROR(context->resource_manager()->LookupOrCreate<Counter>(container_.container(), container_.name(),
                                                                            &counter, [](Counter** made) {
                                                                              *made = new Counter;
                                                                              return Status();
                                                                            }));
    counter->Unref();
    is_made_ = true;
    return Status();
  }

  mutex mu_;
  ContainerInfo container_ GUARDED_BY(mu_);
  PersistentTensor calls_ GUARDED_BY(mu_);
  bool is_made_ GUARDED_BY(mu_);
};

class CountUpOp : public OpKernel {
 public:
  explicit CountUpOp(OpKernelConstruction* context) : OpKernel(context) {}
  void Compute(OpKernelContext* context) override {
    Counter* counter = nullptr;
    OP_REQUIRES_OK(context, LookupResource(context, HandleFromInput(context, 0), &counter));
    core::ScopedUnref unref(counter);
    Tensor* sum = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({}), &sum));
    Tensor written;  // writes to the output
    OP_REQUIRES(context, written.CopyFrom(*sum, TensorShape({1})), errors::Internal("not copied"));
    written.flat<int64>()(0) = counter->Add(context->input(1).scalar<int64>()());
  }
};

REGISTER_KERNEL_BUILDER(Name("Counter").Device(DEVICE_CPU), CounterOp);
REGISTER_KERNEL_BUILDER(Name("CountUp").Device(DEVICE_CPU), CountUpOp);
