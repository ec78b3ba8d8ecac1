// plugins/math_ops/image_attrs.h: the attrs of convolutions and poolings, and what windows they make of images.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "image_window.h"
#include "opsrun/shape_inference.h"
#include "opsrun/status.h"
#include "opsrun/tensor.h"

namespace math_ops {

enum class Padding { kSame, kValid, kExplicit };

// [height, width]
struct ImageAttrs {
  int64 ksize[2] = {1, 1}, strides[2] = {1, 1}, dilations[2] = {1, 1};
  Padding padding = Padding::kValid;
  int64 before[2] = {0, 0}, after[2] = {0, 0};  // for kExplicit
  // Of a pooling whose windows are channels of one pixel: how many, which is also how far apart windows are. Else 1.
  int64 channels = 1;
};

// As a graph states them. Empty: the op has no such attr.
struct GivenImageAttrs {
  std::vector<int64> ksize, strides, dilations, explicit_paddings;
  std::string padding, data_format;
};

// INVALID_ARGUMENT or, for images that are not NHWC, UNIMPLEMENTED; both blame the attr.
opsrun::Status CheckImageAttrs(const GivenImageAttrs& given, ImageAttrs* attrs);

// Context: OpKernelConstruction or InferenceContext.
template <typename Context>
opsrun::Status GetConvAttrs(const Context* context, ImageAttrs* attrs) {
  GivenImageAttrs given;
  TF_RETURN_IF_ERROR(context->GetAttr("strides", &given.strides));
  TF_RETURN_IF_ERROR(context->GetAttr("dilations", &given.dilations));
  TF_RETURN_IF_ERROR(context->GetAttr("explicit_paddings", &given.explicit_paddings));
  TF_RETURN_IF_ERROR(context->GetAttr("padding", &given.padding));
  TF_RETURN_IF_ERROR(context->GetAttr("data_format", &given.data_format));
  return CheckImageAttrs(given, attrs);
}

// Of a pooling without explicit_paddings.
template <typename Context>
opsrun::Status ReadPoolAttrs(const Context* context, GivenImageAttrs* given) {
  TF_RETURN_IF_ERROR(context->GetAttr("ksize", &given->ksize));
  TF_RETURN_IF_ERROR(context->GetAttr("strides", &given->strides));
  TF_RETURN_IF_ERROR(context->GetAttr("padding", &given->padding));
  return context->GetAttr("data_format", &given->data_format);
}

template <typename Context>
opsrun::Status GetAvgPoolAttrs(const Context* context, ImageAttrs* attrs) {
  GivenImageAttrs given;
  TF_RETURN_IF_ERROR(ReadPoolAttrs(context, &given));
  return CheckImageAttrs(given, attrs);
}

template <typename Context>
opsrun::Status GetMaxPoolAttrs(const Context* context, ImageAttrs* attrs) {
  GivenImageAttrs given;
  TF_RETURN_IF_ERROR(ReadPoolAttrs(context, &given));
  TF_RETURN_IF_ERROR(context->GetAttr("explicit_paddings", &given.explicit_paddings));
  return CheckImageAttrs(given, attrs);
}

// The windows along the height (side 0) or the width (side 1). INVALID_ARGUMENT: the window does not fit; without a
// subject to blame.
opsrun::Status MakeWindowAxis(const ImageAttrs& attrs, int side, int64 size, int64 taps, WindowAxis* axis);

// The number of windows, as far as it is known.
opsrun::Status WindowsDim(opsrun::shape_inference::InferenceContext* c, const ImageAttrs& attrs, int side,
                          opsrun::shape_inference::DimensionHandle size, opsrun::shape_inference::DimensionHandle taps,
                          opsrun::shape_inference::DimensionHandle* windows);

// The shape of images or of a filter, from an input that holds its four sizes. INVALID_ARGUMENT, blaming that input.
opsrun::Status ReadImageSizes(const opsrun::Tensor& sizes, const char* name, opsrun::TensorShape* shape);

}  // namespace math_ops
