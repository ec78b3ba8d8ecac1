// plugins/math_ops/pooling.cc
// SPDX-License-Identifier: Apache-2.0
#include "pooling.h"

#include <memory>

namespace math_ops {

using namespace shape_inference;

namespace {

Status DoesNotDivide(int64 channels, int64 window) {
  return errors::InvalidArgument("a window of ", window,
                                 " channels must divide the channels of the images, but there are ", channels);
}

}  // namespace

Status MakePooling(const ImageAttrs& attrs, const TensorShape& shape, ImageWindows* images, TensorShape* pooled) {
  if (shape.dims() != 4) {
    return errors::InvalidArgument("images must have 4 dimensions, but their shape is ", shape.DebugString());
  }
  *pooled = shape;
  images->batch = shape.dim_size(0);
  images->channels = shape.dim_size(3);
  if (attrs.channels > 1) {
    if (images->channels % attrs.channels != 0) return DoesNotDivide(images->channels, attrs.channels);
    const int64 windows = images->channels / attrs.channels;
    images->y = {1, 1, 1, 1, 0, 1};
    images->x = {images->channels, attrs.channels, attrs.channels, 1, 0, windows};
    images->batch = shape.num_elements() / std::max<int64>(images->channels, 1);
    images->channels = 1;
    pooled->set_dim(3, windows);
    return Status::OK();
  }
  TF_RETURN_IF_ERROR(MakeWindowAxis(attrs, 0, shape.dim_size(1), attrs.ksize[0], &images->y));
  TF_RETURN_IF_ERROR(MakeWindowAxis(attrs, 1, shape.dim_size(2), attrs.ksize[1], &images->x));
  pooled->set_dim(1, images->y.windows);
  pooled->set_dim(2, images->x.windows);
  return Status::OK();
}

namespace {

// The shape of the pooled images. *images is merged with rank 4.
Status PooledShape(InferenceContext* c, const ImageAttrs& attrs, ShapeHandle* images, ShapeHandle* pooled) {
  TF_RETURN_IF_ERROR(c->WithRank(*images, 4, images));
  DimensionHandle sides[2], channels = c->Dim(*images, 3);
  if (c->ValueKnown(channels) && c->Value(channels) % attrs.channels != 0)
    return DoesNotDivide(c->Value(channels), attrs.channels);
  TF_RETURN_IF_ERROR(c->Divide(channels, attrs.channels, /*evenly_divisible=*/true, &channels));
  for (int side = 0; side < 2; ++side) {
    TF_RETURN_IF_ERROR(
        WindowsDim(c, attrs, side, c->Dim(*images, side + 1), c->MakeDim(attrs.ksize[side]), &sides[side]));
  }
  *pooled = c->MakeShape({c->Dim(*images, 0), sides[0], sides[1], channels});
  return Status::OK();
}

}  // namespace

Status PoolShape(InferenceContext* c) {
  ImageAttrs attrs;
  TF_RETURN_IF_ERROR(GetImageAttrs(c, &attrs));
  ShapeHandle images = c->input(0), pooled;
  TF_RETURN_IF_ERROR(PooledShape(c, attrs, &images, &pooled));
  c->set_output(0, pooled);
  return Status::OK();
}

Status MergePooling(InferenceContext* c, ShapeHandle* images, ShapeHandle* pooled) {
  ImageAttrs attrs;
  TF_RETURN_IF_ERROR(GetImageAttrs(c, &attrs));
  ShapeHandle from_images;
  TF_RETURN_IF_ERROR(PooledShape(c, attrs, images, &from_images));
  TF_RETURN_IF_ERROR(c->Merge(*pooled, from_images, pooled));
  TF_RETURN_IF_ERROR(c->ReplaceDim(*images, 0, c->Dim(*pooled, 0), images));
  DimensionHandle channels;
  TF_RETURN_IF_ERROR(c->Multiply(c->Dim(*pooled, 3), attrs.channels, &channels));
  return c->ReplaceDim(*images, 3, channels, images);
}

void CpuPoolKernel::ComputeParts(OpKernelContext* context, const ImageWindows& images, int64 parts, const Tensor& in,
                                 const void* grad, const TensorShape& shape) const {
  Tensor* output = nullptr;
  OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
  if (output->NumElements() == 0) return;
  const int64 pixels = images.batch * images.windows() * images.channels * images.window_pixels();
  Shard(context, parts, pixels / parts / pixels_ + 1, [&](int64 begin, int64 end) {
    for (int64 i = begin; i < end; ++i) loop_(images, in.data(), grad, i, output->data());
  });
}

// AvgPool and its gradient.

namespace {

Status AvgPoolGradShape(InferenceContext* c) {
  ShapeHandle images, gradient = c->input(1);
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &images));
  TF_RETURN_IF_ERROR(MergePooling(c, &images, &gradient));
  c->set_output(0, images);
  return Status::OK();
}

#define AVG_POOL_ATTRS MATH_OPS_POOL_ATTRS("{" MATH_OPS_FLOATS "}", "'SAME', 'VALID'", )

REGISTER_OP("AvgPool")
    .Input("value: T")
    .Output("output: T")
    .AVG_POOL_ATTRS.SetShapeFn(PoolShape)
    .Gradient(
        "nodes:\n  sizes: {op: Shape, in: value}\n"
        "  dvalue: {op: AvgPoolGrad, in: [sizes, grad.output], attrs: {" MATH_OPS_SAME_POOL
        "}}\n"
        "outputs: {value: dvalue}\n")
    .Doc(
        "Slides a window over images and gives the mean of each, channel by channel.\n\n"
        "What a window covers outside the image does not count. float16 and bfloat16 are computed as float32 and "
        "rounded once.\n\n"
        "value: Images, [batch, height, width, channels].\n"
        "output: The means, [batch, windows along the height, windows along the width, "
        "channels].\n" MATH_OPS_POOL_ATTR_DOCS(""));

REGISTER_OP("AvgPoolGrad")
    .Input("orig_input_shape: int32")
    .Input("grad: T")
    .Output("output: T")
    .AVG_POOL_ATTRS.SetShapeFn(AvgPoolGradShape)
    .Gradient("nodes: {dgrad: {op: AvgPool, in: grad.output, attrs: {" MATH_OPS_SAME_POOL
              "}}}\n"
              "outputs: {orig_input_shape: null, grad: dgrad}\n")
    .Doc(
        "Computes the gradient of AvgPool: each window's gradient, divided evenly among its pixels.\n\n"
        "orig_input_shape: The shape of the images, [batch, height, width, channels].\n"
        "grad: The gradient with respect to the output of AvgPool, in its shape.\n"
        "output: The gradient with respect to the images.\n" MATH_OPS_POOL_ATTR_DOCS(""));

// The number of pixels in a window.
int64 PixelsOf(const ImageWindows& images, int64 y, int64 x) {
  return (images.y.EndTap(y) - images.y.FirstTap(y)) * (images.x.EndTap(x) - images.x.FirstTap(x));
}

// Calls fn(x, pixel) for each pixel of each window x of row y; `pixel` is the offset of its values in the image.
template <typename Fn>
void ForPixels(const ImageWindows& images, int64 y, const Fn& fn) {
  for (int64 x = 0; x < images.x.windows; ++x) {
    for (int64 tap_y = images.y.FirstTap(y); tap_y < images.y.EndTap(y); ++tap_y) {
      for (int64 tap_x = images.x.FirstTap(x); tap_x < images.x.EndTap(x); ++tap_x) {
        fn(x, (images.y.Pixel(y, tap_y) * images.x.size + images.x.Pixel(x, tap_x)) * images.channels);
      }
    }
  }
}

// AvgPool, one row of windows, counted through all images.
struct MeanLoops {
  static constexpr const char* kInput = "input:value";
  static constexpr int64 kPixels = 1;

  template <typename T>
  static void Run(const ImageWindows& images, const void* in, const void* /*grad*/, int64 i, void* out) {
    typedef Wide<T> W;
    const int64 channels = images.channels, y = i % images.y.windows;
    const T* const image = static_cast<const T*>(in) + i / images.y.windows * images.image_values();
    const std::unique_ptr<W[]> sums(new W[static_cast<size_t>(images.x.windows * channels)]());
    ForPixels(images, y, [&](int64 x, int64 pixel) {
      W* const sum = sums.get() + x * channels;
      for (int64 c = 0; c < channels; ++c) sum[c] += static_cast<W>(image[pixel + c]);
    });
    T* const to = static_cast<T*>(out) + i * images.x.windows * channels;
    for (int64 x = 0; x < images.x.windows; ++x) {
      const W pixels = static_cast<W>(PixelsOf(images, y, x));
      for (int64 j = x * channels; j < (x + 1) * channels; ++j)
        to[j] = static_cast<T>(sums[static_cast<size_t>(j)] / pixels);
    }
  }
};

// AvgPoolGrad, one part of ImageParts.
struct SpreadLoops {
  template <typename T>
  static void Run(const ImageWindows& images, const void* in, const void* /*grad*/, int64 i, void* out) {
    const int64 channels = images.channels, row = images.x.windows * channels;
    SumPart<T>(images, i, out, [&](int64 image, int64 y, int64 first, int64 end, Wide<T>* sums) {
      const T* const grads = static_cast<const T*>(in) + (image * images.y.windows + y) * row;
      ForPixels(images, y, [&](int64 x, int64 pixel) {
        if (pixel < first || pixel >= end) return;
        const Wide<T> pixels = static_cast<Wide<T>>(PixelsOf(images, y, x));
        for (int64 c = 0; c < channels; ++c) sums[pixel + c] += static_cast<Wide<T>>(grads[x * channels + c]) / pixels;
      });
    });
  }
};

REGISTER_KERNEL_BUILDER(Name("AvgPool").Device(DEVICE_CPU).Tiled().Rows("output", "value"),
                        PoolOp<MeanLoops, Floats, CpuPoolKernel>)
REGISTER_KERNEL_BUILDER(Name("AvgPoolGrad").Device(DEVICE_CPU), AvgPoolGradOp<SpreadLoops, CpuPoolKernel>)

}  // namespace
}  // namespace math_ops
