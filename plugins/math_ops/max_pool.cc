// plugins/math_ops/max_pool.cc: MaxPool, MaxPoolGrad and MaxPoolGradGrad.
// SPDX-License-Identifier: Apache-2.0
#include "max_pool.h"

#include <memory>

namespace math_ops {

using namespace opsrun;
using namespace shape_inference;

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

// Computes one row of windows, counted through all images.
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
    const int64 comparisons = images.window_pixels() * images.x.windows * images.channels;
    Shard(context, images.batch * images.y.windows, comparisons / 4 + 1, [&](int64 begin, int64 end) {
      for (int64 i = begin; i < end; ++i) loop_(images, input.data(), i, output->data());
    });
  }

 private:
  const MaxPoolLoop loop_;
  ImageAttrs attrs_;
};

REGISTER_KERNEL_BUILDER(Name("MaxPool").Device(DEVICE_CPU), MaxPoolOp);

// MaxPoolGrad and MaxPoolGradGrad, the gradients of MaxPool.
//
// MaxPoolGrad adds each value of a pooled tensor to the largest pixel of its window; MaxPoolGradGrad reads the value at
// that pixel. So each is the gradient of the other.

// Merges what is known about images and pooled images.
Status MergeShapes(InferenceContext* c, ShapeHandle* images, ShapeHandle* pooled) {
  ImageAttrs attrs;
  TF_RETURN_IF_ERROR(GetMaxPoolAttrs(c, &attrs));
  ShapeHandle from_images;
  TF_RETURN_IF_ERROR(PooledShape(c, attrs, images, &from_images));
  TF_RETURN_IF_ERROR(c->Merge(*pooled, from_images, pooled));
  TF_RETURN_IF_ERROR(c->ReplaceDim(*images, 0, c->Dim(*pooled, 0), images));
  DimensionHandle channels;
  TF_RETURN_IF_ERROR(c->Multiply(c->Dim(*pooled, 3), attrs.channels, &channels));
  return c->ReplaceDim(*images, 3, channels, images);
}

Status MaxPoolGradShape(InferenceContext* c) {
  ShapeHandle images = c->input(0), pooled;
  TF_RETURN_IF_ERROR(c->Merge(c->input(1), c->input(2), &pooled));
  TF_RETURN_IF_ERROR(MergeShapes(c, &images, &pooled));
  c->set_output(0, images);
  return Status::OK();
}

Status MaxPoolGradGradShape(InferenceContext* c) {
  ShapeHandle images, pooled = c->input(1);
  TF_RETURN_IF_ERROR(c->Merge(c->input(0), c->input(2), &images));
  TF_RETURN_IF_ERROR(MergeShapes(c, &images, &pooled));
  c->set_output(0, pooled);
  return Status::OK();
}

#define ORIGINALS                                                                        \
  "orig_input: The input of MaxPool. TensorFlow's op takes uint32 and uint64 as well.\n" \
  "orig_output: The output of MaxPool for it.\n"

REGISTER_OP("MaxPoolGrad")
    .MATH_OPS_POOL_ATTRS.Input("orig_input: T")
    .Input("orig_output: T")
    .Input("grad: T")
    .Output("output: T")
    .SetShapeFn(MaxPoolGradShape)
    .Gradient(R"yaml(
nodes:
  dgrad:
    op: MaxPoolGradGrad
    in: [orig_input, orig_output, grad.output]
    )yaml" MATH_OPS_SAME_POOL R"yaml(
  dinput: {op: ZerosLike, in: orig_input}
  doutput: {op: ZerosLike, in: orig_output}
outputs: {orig_input: dinput, orig_output: doutput, grad: dgrad}
)yaml")
    .Doc(
        "Computes the gradient of MaxPool.\n\n"
        "The gradient of a window goes to its largest pixel: the first one in row-major order if several "
        "are.\n\n" ORIGINALS
        "grad: The gradient with respect to the output of MaxPool.\n"
        "output: The gradient with respect to its input.\n" MATH_OPS_POOL_ATTR_DOCS);

REGISTER_OP("MaxPoolGradGrad")
    .MATH_OPS_POOL_ATTRS.Input("orig_input: T")
    .Input("orig_output: T")
    .Input("grad: T")
    .Output("output: T")
    .SetShapeFn(MaxPoolGradGradShape)
    .Gradient(R"yaml(
nodes:
  dgrad:
    op: MaxPoolGrad
    in: [orig_input, orig_output, grad.output]
    )yaml" MATH_OPS_SAME_POOL R"yaml(
  dinput: {op: ZerosLike, in: orig_input}
  doutput: {op: ZerosLike, in: orig_output}
outputs: {orig_input: dinput, orig_output: doutput, grad: dgrad}
)yaml")
    .Doc(
        "Computes the gradient of MaxPoolGrad, the second-order gradient of MaxPool.\n\n"
        "It gives, for each window, the value at its largest pixel: at the first one in row-major order if several "
        "are.\n\n" ORIGINALS
        "grad: The gradient with respect to the output of MaxPoolGrad, in the shape of orig_input.\n"
        "output: The gradient with respect to the input grad of MaxPoolGrad, in the shape of "
        "orig_output.\n" MATH_OPS_POOL_ATTR_DOCS);

// Finds the largest pixels of rows of windows.
template <typename T>
class ArgMax {
 public:
  ArgMax(const ImageWindows& images, const void* in)
      : images_(images), in_(static_cast<const T*>(in)), largest_(new T[Size()]), where_(new int64[Size()]) {}

  // The offset of each window's and channel's largest pixel in the image; -1 if the window has no pixels.
  const int64* Row(int64 image, int64 y) {
    ArgMaxPoolRow(images_, in_ + image * images_.image_values(), y, largest_.get(), where_.get());
    return where_.get();
  }

 private:
  size_t Size() const { return static_cast<size_t>(images_.x.windows * images_.channels); }

  const ImageWindows& images_;
  const T* const in_;
  const std::unique_ptr<T[]> largest_;
  const std::unique_ptr<int64[]> where_;
};

// Processes one part of all images, or of all rows of windows.
typedef void (*PartLoop)(const ImageWindows& images, const void* in, const void* grad, int64 i, void* out);

// MaxPoolGrad, one part of ImageParts.
struct ScatterLoops {
  template <typename T>
  static void Add(const ImageWindows& images, ArgMax<T>* arg_max, const T* grad, const ImagePart& part, Wide<T>* out) {
    const int64 row = images.x.windows * images.channels, first = part.begin_row * images.row_values();
    std::fill_n(out, part.Values(images), Wide<T>{0});
    for (int64 image = part.begin; image < part.end; ++image, out += images.image_values()) {
      for (int64 y = images.y.FirstReaching(part.begin_row); y < images.y.EndReaching(part.end_row); ++y) {
        const int64* const where = arg_max->Row(image, y);
        const T* const from = grad + (image * images.y.windows + y) * row;
        for (int64 i = 0; i < row; ++i) {
          if (where[i] < first || where[i] >= part.end_row * images.row_values()) continue;
          out[where[i] - first] += static_cast<Wide<T>>(from[i]);
        }
      }
    }
  }
  template <typename T>
  static void Run(const ImageWindows& images, const void* in, const void* grad, int64 i, void* out) {
    const ImagePart part(images, ImageParts(images), i);
    ArgMax<T> arg_max(images, in);
    T* const to = static_cast<T*>(out) + part.FirstValue(images);
    if constexpr (std::is_same_v<T, Wide<T>>) {
      Add(images, &arg_max, static_cast<const T*>(grad), part, to);
    } else {
      const int64 n = part.Values(images);
      const std::unique_ptr<float[]> wide(new float[static_cast<size_t>(n)]);
      Add(images, &arg_max, static_cast<const T*>(grad), part, wide.get());
      for (int64 j = 0; j < n; ++j) to[j] = static_cast<T>(wide[static_cast<size_t>(j)]);
    }
  }
  template <typename T>
  static PartLoop For() {
    return &Run<T>;
  }
};

// MaxPoolGradGrad, one row of windows.
struct GatherLoops {
  template <typename T>
  static void Run(const ImageWindows& images, const void* in, const void* grad, int64 i, void* out) {
    const int64 row = images.x.windows * images.channels, image = i / images.y.windows;
    ArgMax<T> arg_max(images, in);
    const int64* const where = arg_max.Row(image, i % images.y.windows);
    const T* const from = static_cast<const T*>(grad) + image * images.image_values();
    for (int64 j = 0; j < row; ++j) static_cast<T*>(out)[i * row + j] = where[j] < 0 ? T(0) : from[where[j]];
  }
  template <typename T>
  static PartLoop For() {
    return &Run<T>;
  }
};

Status CheckShape(const Tensor& tensor, const TensorShape& shape, const char* name, const char* like) {
  if (tensor.shape() == shape) return Status::OK();
  return errors::InvalidArgument(name, " must have the shape of the ", like, " of MaxPool, ", shape.DebugString(),
                                 ", but its shape is ", tensor.shape().DebugString())
      .Blame(std::string("input:") + name);
}

// kGathers: MaxPoolGradGrad; otherwise MaxPoolGrad.
template <bool kGathers>
class MaxPoolGradOp : public OpKernel {
 public:
  explicit MaxPoolGradOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, GetMaxPoolAttrs(context, &attrs_));
    typedef std::conditional_t<kGathers, GatherLoops, ScatterLoops> Loops;
    loop_ = LoopFor<Loops>(context->input_type(0), PoolTypes());
  }

  void Compute(OpKernelContext* context) override {
    const Tensor &input = context->input(0), &grad = context->input(2);
    ImageWindows images;
    TensorShape pooled;
    OP_REQUIRES_OK(context, MakePooling(attrs_, input.shape(), &images, &pooled).Blame("input:orig_input"));
    OP_REQUIRES_OK(context, CheckShape(context->input(1), pooled, "orig_output", "output"));
    OP_REQUIRES_OK(context, kGathers ? CheckShape(grad, input.shape(), "grad", "input")
                                     : CheckShape(grad, pooled, "grad", "output"));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, kGathers ? pooled : input.shape(), &output));
    if (output->NumElements() == 0) return;
    const int64 units = kGathers ? images.batch * images.y.windows : ImageParts(images).count;
    const int64 comparisons = pooled.num_elements() * images.window_pixels();
    Shard(context, units, comparisons / units + 1, [&](int64 begin, int64 end) {
      for (int64 i = begin; i < end; ++i) loop_(images, input.data(), grad.data(), i, output->data());
    });
  }

 private:
  PartLoop loop_ = nullptr;
  ImageAttrs attrs_;
};

REGISTER_KERNEL_BUILDER(Name("MaxPoolGrad").Device(DEVICE_CPU), MaxPoolGradOp<false>);
REGISTER_KERNEL_BUILDER(Name("MaxPoolGradGrad").Device(DEVICE_CPU), MaxPoolGradOp<true>);

}  // namespace

}  // namespace math_ops
