// tests/sdk/plugins/surface_support.cc: what kernels use in addition to tensors: locks, logs, checks, strings, slices.
// SPDX-License-Identifier: Apache-2.0
#include "tensorflow/core/framework/bounds_check.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/framework/types.pb.h"
#include "tensorflow/core/kernels/bounds_check.h"
#include "tensorflow/core/lib/core/errors.h"
#include "tensorflow/core/lib/core/stringpiece.h"
#include "tensorflow/core/lib/core/threadpool.h"
#include "tensorflow/core/lib/gtl/array_slice.h"
#include "tensorflow/core/lib/strings/strcat.h"
#include "tensorflow/core/platform/default/logging.h"
#include "tensorflow/core/platform/logging.h"
#include "tensorflow/core/platform/macros.h"
#include "tensorflow/core/platform/mutex.h"
#include "tensorflow/core/platform/strcat.h"
#include "tensorflow/core/platform/thread_annotations.h"
#include "tensorflow/core/platform/threadpool.h"
#include "tsl/platform/errors.h"
#include "tsl/platform/logging.h"
#include "tsl/platform/mutex.h"

namespace tensorflow {

REGISTER_OP("CountCalls")
    .Attr("first: int = 0")
    .Input("index: int32")
    .Output("calls: int32")
    .SetIsStateful()
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      shape_inference::ShapeHandle unused;
      TF_RETURN_WITH_CONTEXT_IF_ERROR(c->WithRank(c->input(0), 0, &unused), "index of ", "CountCalls");
      c->set_output(0, c->Scalar());
      return Status::OK();
    });

class CountCallsOp : public OpKernel {
 public:
  explicit CountCallsOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("first", &count_));
    CHECK_GE(count_, 0) << "calls cannot be undone";
  }

  void Compute(OpKernelContext* context) override {
    const int32 index = internal::SubtleMustCopy(context->input(0).scalar<int32>()());
    OP_REQUIRES(context, FastBoundsCheck(index, 10),
                errors::OutOfRange(strings::StrCat("index ", index, " is not below 10")));
    Tensor* calls = nullptr;
    TF_CHECK_OK(context->allocate_output(0, TensorShape({}), &calls));
    mutex_lock lock(mu_);
    VLOG(1) << Describe("call", {count_, index});
    DCHECK_LT(count_, kint32max);
    calls->scalar<int32>()() = ++count_;
  }

 private:
  static string Describe(StringPiece what, gtl::ArraySlice<int32> numbers) {
    string text(what);
    for (const int32 number : numbers) strings::StrAppend(&text, " ", number);
    return text;
  }

  mutex mu_;
  int32 count_ TF_GUARDED_BY(mu_);
  TF_DISALLOW_COPY_AND_ASSIGN(CountCallsOp);
};

REGISTER_KERNEL_BUILDER(Name("CountCalls").Device(DEVICE_CPU), CountCallsOp);

}  // namespace tensorflow
