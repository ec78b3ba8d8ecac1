// plugins/math_ops/max_pool_op.cc: MaxPool, the largest pixel of each window.
// SPDX-License-Identifier: Apache-2.0
#include "max_pool_ops.h"
#include "opsrun/shard.h"

namespace math_ops {

using namespace opsrun;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

namespace {

Status MaxPoolShape(InferenceContext* c) {
  ImageAttrs attrs;
  TF_RETURN_IF_ERROR(GetMaxPoolAttrs(c, &attrs));
  ShapeHandle images = c->input(0), pooled;
  TF_RETURN_IF_ERROR(PooledShape(c, attrs, &images, &pooled));
  c->set_output(0, pooled);
  return Status::OK();
}

REGISTER_OP("MaxPool")
    .MATH_OPS_POOL_ATTRS.Input("input: T")
    .Output("output: T")
    .SetShapeFn(MaxPoolShape)
    .Gradient(R"yaml(
nodes:
  dinput:
    op: MaxPoolGrad
    in: [input, output, grad.output]
    )yaml" MATH_OPS_SAME_POOL R"yaml(
outputs: {input: dinput}
)yaml")
    .Doc(
        "Slides a window over images and gives the largest pixel of each, channel by channel.\n\n"
        "NaN is larger than every number.\n\n"
        "input: Images, [batch, height, width, channels].\n"
        "output: The largest pixels, [batch, windows along the height, windows along the width, "
        "channels].\n" MATH_OPS_POOL_ATTR_DOCS);

typedef void (*MaxPoolLoop)(const ImageWindows& images, const void* in, int64 row, void* out);

// One row of windows, counted through all images.
struct MaxPoolLoops {
  template <typename T>
  static void Run(const ImageWindows& images, const void* in, int64 row, void* out) {
    const T* const image = static_cast<const T*>(in) + row / images.y.windows * images.image_values();
    MaxPoolRow(images, image, row % images.y.windows, static_cast<T*>(out) + row * images.x.windows * images.channels);
  }
  template <typename T>
  static MaxPoolLoop For() {
    return &Run<T>;
  }
};

class MaxPoolOp : public OpKernel {
 public:
  explicit MaxPoolOp(OpKernelConstruction* context)
      : OpKernel(context), loop_(LoopFor<MaxPoolLoops>(context->input_type(0), PoolTypes())) {
    OP_REQUIRES_OK(context, GetMaxPoolAttrs(context, &attrs_));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ImageWindows images;
    TensorShape pooled;
    OP_REQUIRES_OK(context, MakePooling(attrs_, input.shape(), &images, &pooled).Blame("input:input"));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, pooled, &output));
    if (output->NumElements() == 0) return;
    const auto workers = *context->device()->tensorflow_cpu_worker_threads();
    const int64 comparisons = images.window_pixels() * images.x.windows * images.channels;
    Shard(workers.num_threads, workers.workers, images.batch * images.y.windows, comparisons / 4 + 1,
          [&](int64 begin, int64 end) {
            for (int64 i = begin; i < end; ++i) loop_(images, input.data(), i, output->data());
          });
  }

 private:
  const MaxPoolLoop loop_;
  ImageAttrs attrs_;
};

REGISTER_KERNEL_BUILDER(Name("MaxPool").Device(DEVICE_CPU), MaxPoolOp);

}  // namespace
}  // namespace math_ops
