// plugins/math_ops/max_pool.cc: MaxPool, MaxPoolGrad and MaxPoolGradGrad.
//
// MaxPool gives the largest pixel of each window of an image, per channel. Of several largest pixels, the first one in
// row-major order counts. NaN is larger than every number. MaxPoolGrad adds each value of a pooled tensor to the
// largest pixel of its window; MaxPoolGradGrad reads the value at that pixel. So each is the gradient of the other.
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "isa_kernels.h"
#include "max_pool_row.h"

namespace math_ops {
namespace {

using namespace shape_inference;

// The positions in the image of the row's largest pixels. `largest` is scratch memory for images.x.windows * channels
// elements.
template <typename T>
void ArgMaxPoolRow(const ImageWindows& images, const T* image, int64 y, T* largest, int64* where) {
  const int64 channels = images.channels;
  std::fill_n(where, images.x.windows * channels, int64{-1});
  ForTapsOfRow(images, y, [&](int64 first, int64 end, int64 in_image) {
    for (int64 i = first; i < end; ++i, in_image += images.x.stride * channels) {
      for (int64 j = 0; j < channels; ++j) {
        const int64 out = i * channels + j;
        if (where[out] >= 0 && !IsLarger(image[in_image + j], largest[out])) continue;
        largest[out] = image[in_image + j];
        where[out] = in_image + j;
      }
    }
  });
}

// MaxPool, one row of windows.
struct MaxPoolLoops {
  static constexpr const char* kInput = "input:input";
  static constexpr int64 kPixels = 4;

  template <typename T>
  static void Run(const ImageWindows& images, const void* in, const void* /*grad*/, int64 row, void* out) {
    const T* const image = static_cast<const T*>(in) + row / images.y.windows * images.image_values();
    T* const to = static_cast<T*>(out) + row * images.x.windows * images.channels;
    if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
      if (BestKernels() != nullptr) {
        return std::get<MaxPool<T>>(BestKernels()->max_pool)(images, image, row % images.y.windows, to);
      }
    }
    MaxPoolRow(images, image, row % images.y.windows, to);
  }
};

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

// MaxPoolGrad, one part of ImageParts.
struct ScatterLoops {
  template <typename T>
  static void Run(const ImageWindows& images, const void* in, const void* grad, int64 i, void* out) {
    const int64 row = images.x.windows * images.channels;
    ArgMax<T> arg_max(images, in);
    SumPart<T>(images, i, out, [&](int64 image, int64 y, int64 first, int64 end, Wide<T>* sums) {
      const int64* const where = arg_max.Row(image, y);
      const T* const from = static_cast<const T*>(grad) + (image * images.y.windows + y) * row;
      for (int64 j = 0; j < row; ++j) {
        if (where[j] >= first && where[j] < end) sums[where[j]] += static_cast<Wide<T>>(from[j]);
      }
    });
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
};

// The shape function of the gradients.
template <bool kGathers>
Status MaxPoolGradShape(InferenceContext* c) {
  ShapeHandle images = c->input(0), pooled = c->input(1);
  ShapeHandle* const like_grad = kGathers ? &images : &pooled;
  TF_RETURN_IF_ERROR(c->Merge(*like_grad, c->input(2), like_grad));
  TF_RETURN_IF_ERROR(MergePooling(c, &images, &pooled));
  c->set_output(0, kGathers ? pooled : images);
  return Status::OK();
}

#define MAX_POOL_ATTRS                                                                           \
  MATH_OPS_POOL_ATTRS("{" MATH_OPS_MAX_POOL_TYPES "} = DT_FLOAT", "'SAME', 'VALID', 'EXPLICIT'", \
                      .Attr("explicit_paddings: list(int) = []"))
#define SAME_MAX_POOL "attrs: {" MATH_OPS_SAME_POOL ", explicit_paddings: {attr: explicit_paddings}}"
#define MAX_POOL_ATTR_DOCS                                                                         \
  MATH_OPS_POOL_ATTR_DOCS(                                                                         \
      " EXPLICIT: the image has a border as wide as explicit_paddings says. A border has no "      \
      "pixels.\nexplicit_paddings: [0, 0, top, bottom, left, right, 0, 0], each smaller than the " \
      "window.")

REGISTER_OP("MaxPool")
    .MAX_POOL_ATTRS.Input("input: T")
    .Output("output: T")
    .SetShapeFn(PoolShape)
    .Gradient("nodes: {dinput: {op: MaxPoolGrad, in: [input, output, grad.output], " SAME_MAX_POOL
              "}}\n"
              "outputs: {input: dinput}\n")
    .Doc(
        "Slides a window over images and gives the largest pixel of each, channel by channel.\n\n"
        "NaN is larger than every number.\n\n"
        "input: Images, [batch, height, width, channels].\n"
        "output: The largest pixels, [batch, windows along the height, windows along the width, "
        "channels].\n" MAX_POOL_ATTR_DOCS);

// back: the op that is the gradient of the input `grad`.
#define REGISTER_MAX_POOL_GRADIENT(name, kGathers, back, sentences, docs)                         \
  REGISTER_OP(name)                                                                               \
      .MAX_POOL_ATTRS.Input("orig_input: T")                                                      \
      .Input("orig_output: T")                                                                    \
      .Input("grad: T")                                                                           \
      .Output("output: T")                                                                        \
      .SetShapeFn(MaxPoolGradShape<kGathers>)                                                     \
      .Gradient(                                                                                  \
          "nodes:\n"                                                                              \
          "  dgrad: {op: " back ", in: [orig_input, orig_output, grad.output], " SAME_MAX_POOL    \
          "}\n"                                                                                   \
          "  dinput: {op: ZerosLike, in: orig_input}\n"                                           \
          "  doutput: {op: ZerosLike, in: orig_output}\n"                                         \
          "outputs: {orig_input: dinput, orig_output: doutput, grad: dgrad}\n")                   \
      .Doc(sentences                                                                              \
           " the first one in row-major order if several are.\n\n"                                \
           "orig_input: The input of MaxPool. TensorFlow's op takes uint32 and uint64 as well.\n" \
           "orig_output: The output of MaxPool for it.\n" docs MAX_POOL_ATTR_DOCS);               \
  REGISTER_KERNEL_BUILDER(                                                                        \
      Name(name).Device(DEVICE_CPU),                                                              \
      MaxPoolGradOp<kGathers, std::conditional_t<kGathers, GatherLoops, ScatterLoops>, CpuPoolKernel>)
REGISTER_MAX_POOL_GRADIENT("MaxPoolGrad", false, "MaxPoolGradGrad",
                           "Computes the gradient of MaxPool.\n\nThe gradient of a window goes to its largest pixel:",
                           "grad: The gradient with respect to the output of MaxPool.\n"
                           "output: The gradient with respect to its input.\n")
REGISTER_MAX_POOL_GRADIENT(
    "MaxPoolGradGrad", true, "MaxPoolGrad",
    "Computes the gradient of MaxPoolGrad, the second-order gradient of MaxPool.\n\nIt gives, for "
    "each window, the value at its largest pixel: at",
    "grad: The gradient with respect to the output of MaxPoolGrad, in the shape of orig_input.\n"
    "output: The gradient with respect to the input grad of MaxPoolGrad, in the shape of "
    "orig_output.\n")

REGISTER_KERNEL_BUILDER(Name("MaxPool").Device(DEVICE_CPU).Tiled().Rows("output", "input"),
                        PoolOp<MaxPoolLoops, MaxPoolTypes, CpuPoolKernel>)

}  // namespace
}  // namespace math_ops
