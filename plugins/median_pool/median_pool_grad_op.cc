// plugins/median_pool/median_pool_grad_op.cc: MedianPoolGrad, the gradient of MedianPool, and MedianPoolGradGrad.
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "median_places.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"
#include "opsrun/shard.h"
#include "windows.h"

namespace median_pool {
namespace {

using namespace opsrun;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

Status CheckGrad(const TensorShape& grad, const TensorShape& expected) {
  if (grad == expected) return Status::OK();
  return errors::InvalidArgument("grad must have the shape ", expected.DebugString(), ", but its shape is ",
                                 grad.DebugString())
      .Blame("input:grad");
}

class MedianPoolGradBase : public OpKernel {
 public:
  explicit MedianPoolGradBase(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, GetWindowAttrs(context, &attrs_));
  }

 protected:
  WindowAttrs attrs_;
};

// On one thread: windows that overlap may have one median.
class MedianPoolGradOp : public MedianPoolGradBase {
 public:
  using MedianPoolGradBase::MedianPoolGradBase;

  void Compute(OpKernelContext* context) override {
    const Tensor &input = context->input(0), &grad = context->input(1);
    Images images;
    OP_REQUIRES_OK(context, WindowsOn(input.shape(), attrs_, &images));
    OP_REQUIRES_OK(context, CheckGrad(grad.shape(), PooledShape(input.shape(), images)));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, input.shape(), &output));
    float* const to = output->flat<float>().data();
    std::fill(to, to + output->NumElements(), 0.0F);
    if (grad.NumElements() == 0) return;
    const float* const from = grad.flat<float>().data();
    ForMedians(images, input.flat<float>().data(), 0, images.output_rows(),
               [&](int64 place, int64 window) { to[place] += from[window]; });
  }
};

class MedianPoolGradGradOp : public MedianPoolGradBase {
 public:
  using MedianPoolGradBase::MedianPoolGradBase;

  void Compute(OpKernelContext* context) override {
    const Tensor &input = context->input(0), &grad = context->input(1);
    Images images;
    OP_REQUIRES_OK(context, WindowsOn(input.shape(), attrs_, &images));
    OP_REQUIRES_OK(context, CheckGrad(grad.shape(), input.shape()));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, PooledShape(input.shape(), images), &output));
    if (output->NumElements() == 0) return;
    const float *in = input.flat<float>().data(), *from = grad.flat<float>().data();
    float* const to = output->flat<float>().data();
    const auto workers = *context->device()->tensorflow_cpu_worker_threads();
    const int64 nanoseconds = images.output_row_values() * attrs_.size[0] * attrs_.size[1] * 4;
    Shard(workers.num_threads, workers.workers, images.output_rows(), nanoseconds, [&](int64 begin, int64 end) {
      ForMedians(images, in, begin, end, [&](int64 place, int64 window) { to[window] = from[place]; });
    });
  }
};

Status GradShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(MedianPoolShape(c));
  ShapeHandle grad;
  if (!c->Merge(c->output(0), c->input(1), &grad).ok()) {
    return errors::InvalidArgument("grad must have the shape ", c->DebugString(c->output(0)), ", but its shape is ",
                                   c->DebugString(c->input(1)))
        .Blame("input:grad");
  }
  c->set_output(0, c->input(0));
  return Status::OK();
}

Status GradGradShape(InferenceContext* c) {
  ShapeHandle grad;
  if (!c->Merge(c->input(0), c->input(1), &grad).ok()) {
    return errors::InvalidArgument("grad must have the shape of input, which is ", c->DebugString(c->input(0)),
                                   ", but its shape is ", c->DebugString(c->input(1)))
        .Blame("input:grad");
  }
  return MedianPoolShape(c);
}

#define MEDIAN_GRAD_ARGUMENTS                      \
  Attr("ksize: list(int) >= 2")                    \
      .Attr("strides: list(int) >= 2 = [1, 1]")    \
      .Attr("padding: {'SAME', 'VALID'} = 'SAME'") \
      .Input("input: float")                       \
      .Input("grad: float")                        \
      .Output("output: float")

REGISTER_OP("MedianPoolGrad")
    .MEDIAN_GRAD_ARGUMENTS.SetShapeFn(GradShape)
    .Gradient(R"yaml(
nodes:
  dgrad:
    op: MedianPoolGradGrad
    in: [input, grad.output]
    attrs: {ksize: {attr: ksize}, strides: {attr: strides}, padding: {attr: padding}}
  dinput: {op: ZerosLike, in: input}
outputs: {input: dinput, grad: dgrad}
)yaml")
    .Doc(R"doc(
Adds the gradient of each median to the value that is the median: the gradient of MedianPool.

Of several equal values, the first in row-major order of the window gets it. If a window has a NaN, its first NaN does.

input: The input of MedianPool.
grad: The gradient of the medians.
output: The gradient of the input.
ksize: As for MedianPool.
strides: As for MedianPool.
padding: As for MedianPool.
)doc");

REGISTER_OP("MedianPoolGradGrad")
    .MEDIAN_GRAD_ARGUMENTS.SetShapeFn(GradGradShape)
    .Gradient(R"yaml(
nodes:
  dgrad:
    op: MedianPoolGrad
    in: [input, grad.output]
    attrs: {ksize: {attr: ksize}, strides: {attr: strides}, padding: {attr: padding}}
  dinput: {op: ZerosLike, in: input}
outputs: {input: dinput, grad: dgrad}
)yaml")
    .Doc(R"doc(
Takes the element of grad at the place of each median: the gradient of MedianPoolGrad.

input: The input of MedianPool.
grad: A tensor of the shape of the input.
output: For each window, the element of grad where the median of the window stands in the input.
ksize: As for MedianPool.
strides: As for MedianPool.
padding: As for MedianPool.
)doc");

REGISTER_KERNEL_BUILDER(Name("MedianPoolGrad").Device(DEVICE_CPU), MedianPoolGradOp);
REGISTER_KERNEL_BUILDER(Name("MedianPoolGradGrad").Device(DEVICE_CPU), MedianPoolGradGradOp);

}  // namespace
}  // namespace median_pool
