// plugins/math_ops/images.h: convolutions and poolings of images: their attrs, and the windows that these define.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "opsrun/op.h"
#include "opsrun/shape_inference.h"
#include "types.h"

namespace math_ops {

// Which pixels of an image each window of a convolution or a pooling covers.

// Windows along one dimension. Tap k of window i is at pixel i * stride - before + k * dilation, which may be outside.
struct WindowAxis {
  int64 size = 0;  // pixels
  int64 taps = 1, stride = 1, dilation = 1;
  int64 before = 0;  // pixels of padding
  int64 windows = 0;

  constexpr int64 Pixel(int64 i, int64 tap) const { return i * stride - before + tap * dilation; }

  // The taps [FirstTap, EndTap) of a window are inside of the image; the range may be empty.
  constexpr int64 FirstTap(int64 i) const { return std::min(RoundedUp(before - i * stride, dilation), taps); }
  constexpr int64 EndTap(int64 i) const {
    return std::max(FirstTap(i), std::min(RoundedUp(size + before - i * stride, dilation), taps));
  }
  // The windows [FirstWindow, EndWindow) have their tap inside of the image.
  constexpr int64 FirstWindow(int64 tap) const { return std::min(RoundedUp(before - tap * dilation, stride), windows); }
  constexpr int64 EndWindow(int64 tap) const {
    return std::max(FirstWindow(tap), std::min(RoundedUp(size + before - tap * dilation, stride), windows));
  }
  // Only the windows [FirstReaching, EndReaching) can cover the pixels [begin, end).
  constexpr int64 FirstReaching(int64 begin) const {
    return std::min(RoundedUp(begin + before - (taps - 1) * dilation, stride), windows);
  }
  constexpr int64 EndReaching(int64 end) const { return std::min(RoundedUp(end + before, stride), windows); }

  // Whether window i is exactly pixel i.
  constexpr bool IsIdentity() const { return taps == 1 && stride == 1 && before == 0 && windows == size; }

 private:
  // x / divisor, rounded up; 0 if x is negative.
  static constexpr int64 RoundedUp(int64 x, int64 divisor) { return x <= 0 ? 0 : (x - 1) / divisor + 1; }
};

// `batch` images of y.size rows of x.size pixels of `channels` values.
struct ImageWindows {
  int64 batch = 0, channels = 0;
  WindowAxis y, x;

  constexpr int64 image_values() const { return y.size * x.size * channels; }
  constexpr int64 row_values() const { return x.size * channels; }
  constexpr int64 windows() const { return y.windows * x.windows; }  // in one image
  // An upper bound on the number of pixels in one window.
  constexpr int64 window_pixels() const { return std::min(y.taps, y.size) * std::min(x.taps, x.size); }
};

// Parts of the images, one thread each: some rows of one image, or several images if they are small. The division
// depends on the images only.
struct ImageParts {
  int64 images, rows;  // per part
  int64 down, count;   // parts of one image, and of all images

  explicit ImageParts(const ImageWindows& all) : images(1), rows(all.y.size) {
    constexpr int64 kEnoughImages = 16, kFewestRows = 16, kFewestWindows = 256;
    if (all.batch < kEnoughImages) {
      // Windows that reach into two parts are computed twice.
      rows = std::min(rows, std::max(kFewestRows, 4 * ((all.y.taps - 1) * all.y.dilation + 1)));
    } else {
      images = kFewestWindows / std::max<int64>(all.windows(), 1) + 1;
    }
    down = rows == 0 ? 0 : (all.y.size - 1) / rows + 1;
    count = all.batch == 0 ? 0 : ((all.batch - 1) / images + 1) * down;
  }
};

// Part number [0, ImageParts::count): the rows [begin_row, end_row) of the images [begin, end).
struct ImagePart {
  int64 begin, end, begin_row, end_row;

  ImagePart(const ImageWindows& all, const ImageParts& parts, int64 i)
      : begin(i / parts.down * parts.images),
        end(std::min(begin + parts.images, all.batch)),
        begin_row(i % parts.down * parts.rows),
        end_row(std::min(begin_row + parts.rows, all.y.size)) {}

  // The offset of its first value; its values are contiguous.
  int64 FirstValue(const ImageWindows& all) const { return begin * all.image_values() + begin_row * all.row_values(); }
  int64 Values(const ImageWindows& all) const { return (end - begin) * (end_row - begin_row) * all.row_values(); }
  // The windows that can cover its pixels, counted through all images.
  int64 FirstWindow(const ImageWindows& all) const {
    return begin * all.windows() + all.y.FirstReaching(begin_row) * all.x.windows;
  }
  int64 EndWindow(const ImageWindows& all) const {
    return (end - 1) * all.windows() + all.y.EndReaching(end_row) * all.x.windows;
  }
};

enum class Padding { kSame, kValid, kExplicit };

// [height, width]
struct ImageAttrs {
  int64 ksize[2] = {1, 1}, strides[2] = {1, 1}, dilations[2] = {1, 1};
  Padding padding = Padding::kValid;
  int64 before[2] = {0, 0}, after[2] = {0, 0};  // for kExplicit
  // For poolings with windows of channels: the number of channels in a window, which is also the stride. Otherwise 1.
  int64 channels = 1;
};

// The attrs as given in the graph. Empty: the op does not have the attr.
struct GivenImageAttrs {
  std::vector<int64> ksize, strides, dilations, explicit_paddings;
  std::string padding, data_format;
};

// INVALID_ARGUMENT, or UNIMPLEMENTED for layouts other than NHWC; both blame the attr.
Status CheckImageAttrs(const GivenImageAttrs& given, ImageAttrs* attrs);

// Context: OpKernelConstruction or InferenceContext.
template <typename Context>
Status GetImageAttrs(const Context* context, ImageAttrs* attrs) {
  GivenImageAttrs given;
  TF_RETURN_IF_ERROR(context->GetAttr("padding", &given.padding));
  TF_RETURN_IF_ERROR(context->GetAttr("data_format", &given.data_format));
  const auto read_if_any = [context](const char* name, std::vector<int64>* list) {
    const Status status = context->GetAttr(name, list);
    return status.code() == error::NOT_FOUND ? Status::OK() : status;
  };
  TF_RETURN_IF_ERROR(read_if_any("ksize", &given.ksize));
  TF_RETURN_IF_ERROR(read_if_any("strides", &given.strides));
  TF_RETURN_IF_ERROR(read_if_any("dilations", &given.dilations));
  TF_RETURN_IF_ERROR(read_if_any("explicit_paddings", &given.explicit_paddings));
  return CheckImageAttrs(given, attrs);
}

// The windows along the height (side 0) or the width (side 1). INVALID_ARGUMENT: the window does not fit; the error
// blames no input or attr.
Status MakeWindowAxis(const ImageAttrs& attrs, int side, int64 size, int64 taps, WindowAxis* axis);

// The number of windows, or an unknown dimension.
Status WindowsDim(shape_inference::InferenceContext* c, const ImageAttrs& attrs, int side,
                  shape_inference::DimensionHandle size, shape_inference::DimensionHandle taps,
                  shape_inference::DimensionHandle* windows);

// The shape of images or of a filter, from an input that holds its four sizes. INVALID_ARGUMENT, blaming that input.
Status ReadImageSizes(const Tensor& sizes, const char* name, TensorShape* shape);

// Convolutions, and their two gradients, as matrix products.
//
// A convolution is the product of a matrix with one patch per row, the pixels under one window, and the filter.
// Convolutions read patches where they are (convolve.cc); for gradients, patches are copied in blocks to bound the
// memory for them.

typedef TypeList<half, bfloat16, float, double, int32_t> ConvTypes;
#define MATH_OPS_CONV_TYPES "half, bfloat16, float, double, int32"

// What is done with the convolved images, in this order: a bias is added, one number for each filter, and a tensor of
// their shape, and then Relu. Null: nothing is added. Of elements that are not rounded when they are stored.
struct AfterConvolution {
  const void* bias = nullptr;
  const void* added = nullptr;
  int64 relu = 0;  // 1: yes. No padding: plans of cuDNN are found by the bytes of a Convolution
};

// Images are [batch, height, width, channels], filters [height, width, channels, filters].
struct Convolution {
  ImageWindows images;
  int64 filters = 0;
  AfterConvolution after;  // of ConvTask::kConvolve on the CPU

  int64 patch() const { return images.y.taps * images.x.taps * images.channels; }
  TensorShape OutputShape() const { return TensorShape({images.batch, images.y.windows, images.x.windows, filters}); }
};

// Whether the sizes are those of a grouped convolution, which the kernels here do not support.
bool AreGroups(int64 of_images, int64 of_filter);
// INVALID_ARGUMENT: images and filter do not have the same number of channels.
Status WrongChannels(int64 of_images, int64 of_filter);

// INVALID_ARGUMENT, blaming an input: the shapes of images and filter do not match.
Status MakeConvolution(const ImageAttrs& attrs, const TensorShape& images, const TensorShape& filter,
                       Convolution* convolution);

// How the work is divided does not depend on the number of threads, so results do not either. Each loop writes all of
// `out`. Requires: the tensors have the shapes of the convolution, and none is empty.
typedef Status (*ConvLoop)(OpKernelContext* context, const Convolution& convolution, const void* x, const void* y,
                           void* out);

// For one of ConvTypes: from images and the filter to the convolved images; from the filter and the gradient of the
// convolved images to the gradient of the images; from images and that gradient to the gradient of the filter.
enum class ConvTask { kConvolve, kBackToImages, kBackToFilter };
ConvLoop CpuConvLoop(ConvTask task, DataType type);
ConvLoop CpuConvolveLoop(DataType type);  // of the first task

// What MaxPool, AvgPool and their gradients have in common.

// The windows on images of this shape, and the shape of the pooled images. With windows of channels, each pixel is
// treated as an image of one row, whose pixels are the channels. INVALID_ARGUMENT: the windows do not fit, or the shape
// is not that of images.
Status MakePooling(const ImageAttrs& attrs, const TensorShape& shape, ImageWindows* images, TensorShape* pooled);

// For shape functions: merges what is known about images and pooled images.
Status MergePooling(shape_inference::InferenceContext* c, shape_inference::ShapeHandle* images,
                    shape_inference::ShapeHandle* pooled);
// The shape function of MaxPool and AvgPool.
Status PoolShape(shape_inference::InferenceContext* c);

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
