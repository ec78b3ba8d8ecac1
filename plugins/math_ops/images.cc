// plugins/math_ops/images.cc: the attrs of images.h.
// SPDX-License-Identifier: Apache-2.0
#include "images.h"

namespace math_ops {

using namespace shape_inference;

namespace {

constexpr const char* kSides[2] = {"height", "width"};
// More than the rows of any image; products of two such numbers fit int64.
constexpr int64 kLargest = int64{1} << 30;

Status Wrong(const char* name, const std::string& problem) {
  return errors::InvalidArgument(name, " ", problem).Blame(std::string("attr:") + name);
}

std::string Text(const std::vector<int64>& list) {
  std::string text;
  for (const int64 value : list) text += (text.empty() ? "" : ", ") + std::to_string(value);
  return "[" + text + "]";
}

// [1, height, width, 1]
Status ReadSides(const char* name, const std::vector<int64>& given, int64* sides) {
  if (given.empty()) return Status::OK();
  if (given.size() != 4 || given[0] != 1 || given[3] != 1) {
    return Wrong(name, "must be [1, height, width, 1], but it is " + Text(given));
  }
  for (size_t i = 0; i < 2; ++i) {
    sides[i] = given[i + 1];
    if (sides[i] >= 1 && sides[i] <= kLargest) continue;
    return Wrong(name, "must have a " + std::string(kSides[i]) + " between 1 and " + std::to_string(kLargest) +
                           ", but it is " + Text(given));
  }
  return Status::OK();
}

// For poolings with windows of channels: ksize is [1, 1, 1, channels], and strides are the same.
Status ReadChannels(const std::vector<int64>& ksize, const std::vector<int64>& strides, ImageAttrs* attrs) {
  if (ksize != std::vector<int64>{1, 1, 1, ksize[3]} || ksize[3] > kLargest) {
    return Wrong("ksize", "must be [1, height, width, 1], or [1, 1, 1, channels] for windows of channels, but it is " +
                              Text(ksize));
  }
  attrs->channels = ksize[3];
  if (strides == ksize) return Status::OK();
  return Wrong("strides", "must be the same as ksize for windows of channels, but it is " + Text(strides));
}

Status ReadExplicitPaddings(const std::vector<int64>& given, bool is_pooling, ImageAttrs* attrs) {
  constexpr const char* kName = "explicit_paddings";
  if (attrs->padding != Padding::kExplicit) {
    return given.empty() ? Status::OK() : Wrong(kName, "must be empty unless padding is EXPLICIT");
  }
  if (given.size() != 8 || given[0] != 0 || given[1] != 0 || given[6] != 0 || given[7] != 0) {
    return Wrong(kName, "must be [0, 0, top, bottom, left, right, 0, 0], but it is " + Text(given));
  }
  for (size_t i = 0; i < 2; ++i) {
    attrs->before[i] = given[2 + 2 * i];
    attrs->after[i] = given[3 + 2 * i];
    const int64 least = std::min(attrs->before[i], attrs->after[i]);
    const int64 most = std::max(attrs->before[i], attrs->after[i]);
    if (least < 0 || most > kLargest) {
      return Wrong(kName, "must be between 0 and " + std::to_string(kLargest) + ", but it is " + Text(given));
    }
    // Otherwise a window could contain no pixels, and its maximum would be undefined.
    if (is_pooling && most >= attrs->ksize[i]) {
      return Wrong(kName, "must be smaller than ksize, but it is " + Text(given));
    }
  }
  return Status::OK();
}

}  // namespace

Status CheckImageAttrs(const GivenImageAttrs& given, ImageAttrs* attrs) {
  if (given.data_format != "NHWC") {
    return errors::Unimplemented("data_format is ", given.data_format,
                                 ", but there are only kernels for NHWC; transpose the images to [batch, height, "
                                 "width, channels]")
        .Blame("attr:data_format");
  }
  attrs->padding = given.padding == "SAME"    ? Padding::kSame
                   : given.padding == "VALID" ? Padding::kValid
                                              : Padding::kExplicit;
  const bool is_pooling = !given.ksize.empty();
  if (given.ksize.size() == 4 && given.ksize[3] > 1) {
    TF_RETURN_IF_ERROR(ReadChannels(given.ksize, given.strides, attrs));
  } else {
    TF_RETURN_IF_ERROR(ReadSides("ksize", given.ksize, attrs->ksize));
    TF_RETURN_IF_ERROR(ReadSides("strides", given.strides, attrs->strides));
  }
  TF_RETURN_IF_ERROR(ReadSides("dilations", given.dilations, attrs->dilations));
  return ReadExplicitPaddings(given.explicit_paddings, is_pooling, attrs);
}

Status MakeWindowAxis(const ImageAttrs& attrs, int side, int64 size, int64 taps, WindowAxis* axis) {
  const int64 stride = attrs.strides[side], dilation = attrs.dilations[side];
  if (std::max(size, taps) > kLargest) {
    return errors::InvalidArgument("a ", kSides[side], " of ", std::max(size, taps), " is more than ", kLargest);
  }
  const int64 extent = (taps - 1) * dilation + 1;
  *axis = {size, taps, stride, dilation, attrs.before[side], 0};
  if (attrs.padding == Padding::kSame) {
    axis->windows = (size + stride - 1) / stride;
    axis->before = std::max<int64>((axis->windows - 1) * stride + extent - size, 0) / 2;
    return Status::OK();
  }
  // Windows that begin inside of the image but do not fit are not counted, so there may be none.
  const int64 padded = attrs.before[side] + size + attrs.after[side];
  if (taps < 1 || padded - extent + stride < 0) {
    return errors::InvalidArgument(
        "a window of ", kSides[side], " ", extent, " does not fit into an image of ", kSides[side], " ", padded,
        attrs.padding == Padding::kExplicit ? " with padding" : "", "; padding SAME adds as many zeros as it needs");
  }
  axis->windows = (padded - extent + stride) / stride;
  return Status::OK();
}

Status WindowsDim(InferenceContext* c, const ImageAttrs& attrs, int side, DimensionHandle size, DimensionHandle taps,
                  DimensionHandle* windows) {
  const bool same = attrs.padding == Padding::kSame;
  if (same && attrs.strides[side] == 1) {
    *windows = size;
  } else if (!c->ValueKnown(size) || (!same && !c->ValueKnown(taps))) {
    *windows = c->UnknownDim();
  } else {
    WindowAxis axis;
    TF_RETURN_IF_ERROR(MakeWindowAxis(attrs, side, c->Value(size), same ? 1 : c->Value(taps), &axis));
    *windows = c->MakeDim(axis.windows);
  }
  return Status::OK();
}

Status ReadImageSizes(const Tensor& sizes, const char* name, TensorShape* shape) {
  const std::string subject = std::string("input:") + name;
  if (sizes.dims() != 1 || sizes.NumElements() != 4) {
    return errors::InvalidArgument(name, " must be 4 sizes, but its shape is ", sizes.shape().DebugString())
        .Blame(subject);
  }
  return TensorShapeUtils::MakeShape(sizes.vec<int32>().data(), 4, shape).Blame(subject);
}

}  // namespace math_ops
