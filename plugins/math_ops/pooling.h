// plugins/math_ops/pooling.h: what MaxPool, AvgPool and their gradients have in common.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "image_attrs.h"
#include "opsrun/op.h"

namespace math_ops {

// The windows on images of this shape, and the shape of the pooled images. With windows of channels, each pixel is
// treated as an image of one row, whose pixels are the channels. INVALID_ARGUMENT: the windows do not fit, or the shape
// is not that of images.
Status MakePooling(const ImageAttrs& attrs, const TensorShape& shape, ImageWindows* images, TensorShape* pooled);

// For shape functions: merges what is known about images and pooled images.
Status MergePooling(shape_inference::InferenceContext* c, shape_inference::ShapeHandle* images,
                    shape_inference::ShapeHandle* pooled);
// The shape function of MaxPool and AvgPool.
Status PoolShape(shape_inference::InferenceContext* c);

// Computes one part of the output: a row of windows, counted through all images, or a part of ImageParts. `grad` is
// NULL unless the op is a gradient with two tensors.
typedef void (*PoolLoop)(const ImageWindows& images, const void* in, const void* grad, int64 part, void* out);

class PoolKernel : public OpKernel {
 public:
  // pixels: how many pixels of windows the loop processes in a nanosecond.
  PoolKernel(OpKernelConstruction* context, PoolLoop loop, int64 pixels = 1)
      : OpKernel(context), loop_(loop), pixels_(pixels) {
    OP_REQUIRES_OK(context, GetImageAttrs(context, &attrs_));
  }

 protected:
  const ImageAttrs& attrs() const { return attrs_; }
  // Allocates the output, and runs the loop for each part.
  void ComputeParts(OpKernelContext* context, const ImageWindows& images, int64 parts, const Tensor& in,
                    const void* grad, const TensorShape& shape) const;

 private:
  const PoolLoop loop_;
  const int64 pixels_;
  ImageAttrs attrs_;
};

// MaxPool or AvgPool. Loops::kInput blames its input.
template <typename Loops, typename Types>
class PoolOp : public PoolKernel {
 public:
  explicit PoolOp(OpKernelConstruction* context)
      : PoolKernel(context, LoopFor<Loops>(context->input_type(0), Types()), Loops::kPixels) {}

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    ImageWindows images;
    TensorShape pooled;
    OP_REQUIRES_OK(context, MakePooling(attrs(), input.shape(), &images, &pooled).Blame(Loops::kInput));
    ComputeParts(context, images, images.batch * images.y.windows, input, nullptr, pooled);
  }
};

// Writes part i of ImageParts, for a gradient. add_row(image, y, first, end, sums) adds what the row y of windows
// contributes to sums[v], for the values v of the image in [first, end).
template <typename T, typename AddRow>
void SumPart(const ImageWindows& images, int64 i, void* out, const AddRow& add_row) {
  const ImagePart part(images, ImageParts(images), i);
  const int64 n = part.Values(images), row = images.row_values();
  T* const to = static_cast<T*>(out) + part.FirstValue(images);
  std::unique_ptr<Wide<T>[]> wide;
  if (!std::is_same_v<T, Wide<T>>) wide.reset(new Wide<T>[static_cast<size_t>(n)]);
  Wide<T>* const sums = wide != nullptr ? wide.get() : reinterpret_cast<Wide<T>*>(to);
  std::fill_n(sums, n, Wide<T>{0});
  for (int64 image = part.begin; image < part.end; ++image) {
    Wide<T>* const first = sums + (image - part.begin) * images.image_values() - part.begin_row * row;
    for (int64 y = images.y.FirstReaching(part.begin_row); y < images.y.EndReaching(part.end_row); ++y) {
      add_row(image, y, part.begin_row * row, part.end_row * row, first);
    }
  }
  for (int64 j = 0; wide != nullptr && j < n; ++j) to[j] = static_cast<T>(wide[static_cast<size_t>(j)]);
}

// The attrs of all poolings. more: further ones, after the padding.
#define MATH_OPS_POOL_ATTRS(types, paddings, more) \
  Attr("T: " types)                                \
      .Attr("ksize: list(int) >= 4")               \
      .Attr("strides: list(int) >= 4")             \
      .Attr("padding: {" paddings "}") more.Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")

#define MATH_OPS_POOL_ATTR_DOCS(paddings)                                                                        \
  "ksize: The size of the windows: [1, height, width, 1], or [1, 1, 1, channels], which divides the channels.\n" \
  "strides: How far apart windows are: [1, height, width, 1], or ksize for windows of channels.\n"               \
  "padding: SAME: as many windows as strides fit into the image. VALID: only windows inside the image." paddings \
  "\n"                                                                                                           \
  "data_format: Only NHWC is supported.\n"

// The attrs of a gradient node, copied from the op's.
#define MATH_OPS_SAME_POOL \
  "ksize: {attr: ksize}, strides: {attr: strides}, padding: {attr: padding}, data_format: {attr: data_format}"

}  // namespace math_ops
