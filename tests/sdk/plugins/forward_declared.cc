// tests/sdk/plugins/forward_declared.cc: a source that forward-declares the framework's classes, as functor headers do:
// TensorFlow's or, with OF_OPSRUN, those of the SDK in its own namespace.
// SPDX-License-Identifier: Apache-2.0
#ifdef OF_OPSRUN
#define FRAMEWORK opsrun
#else
#define FRAMEWORK tensorflow
#endif

namespace FRAMEWORK {
class OpKernelContext;
class Tensor;
class TensorShape;
class Status;
namespace shape_inference {
class InferenceContext;
}
namespace functor {
int Answer(OpKernelContext* context, const Tensor& tensor);
}
Status AnswerShape(shape_inference::InferenceContext* context);
}  // namespace FRAMEWORK

#ifdef OF_OPSRUN
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"
#include "opsrun/shape_inference.h"
#else
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"
#endif

namespace FRAMEWORK {
namespace functor {
int Answer(OpKernelContext* context, const Tensor& tensor) { return context->num_outputs() + static_cast<int>(tensor.NumElements()); }
}  // namespace functor

Status AnswerShape(shape_inference::InferenceContext* context) {
  context->set_output(0, context->Scalar());
  return Status::OK();
}

REGISTER_OP("Answer").Output("answer: int32").SetShapeFn(AnswerShape);

class AnswerOp : public OpKernel {
 public:
  explicit AnswerOp(OpKernelConstruction* context) : OpKernel(context) {}

  void Compute(OpKernelContext* context) override {
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape(), &output));
    output->scalar<int32>()() = functor::Answer(context, *output);
  }
};

REGISTER_KERNEL_BUILDER(Name("Answer").Device(DEVICE_CPU), AnswerOp);
}  // namespace FRAMEWORK
