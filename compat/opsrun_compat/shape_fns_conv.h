// opsrun_compat/shape_fns_conv.h: shape functions of convolutions.
//
// Attrs: strides and dilations, with a number for each dimension of the image; padding; and optionally data_format,
// filter_format and explicit_paddings.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/shape_inference.h"
#include "opsrun/status.h"
#include "opsrun_compat/shape_fns_windows.h"
#include "opsrun_compat/tensor_format.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// A convolution of input 0 with the filter in input 1.
struct Convolution {
  typedef shape_inference::InferenceContext InferenceContext;
  typedef shape_inference::DimensionHandle DimensionHandle;

  TensorFormat format = FORMAT_NHWC;
  FilterTensorFormat filter_format = FORMAT_HWIO;
  std::vector<int32> strides, dilations;
  ImageDims image;
  shape_inference::ShapeHandle filter;

  OPSRUN_COLD Status Read(InferenceContext* c, int spatial) {
    TF_RETURN_IF_ERROR(ReadDataFormat(c, &format));
    if (spatial == 2) TF_RETURN_IF_ERROR(ReadFormat(c, "filter_format", FilterFormatFromString, &filter_format));
    const int rank = GetTensorDimsFromSpatialDims(spatial, format);
    shape_inference::ShapeHandle shape;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(0), rank, &shape));
    TF_RETURN_IF_ERROR(c->WithRank(c->input(1), rank, &filter));
    TF_RETURN_IF_ERROR(CheckPacked(c, filter, format));
    TF_RETURN_IF_ERROR(ReadPerDim(c, "dilations", spatial, &dilations));
    TF_RETURN_IF_ERROR(ReadPerDim(c, "strides", spatial, &strides));
    return image.Read(c, shape, format);
  }

  // The dimension of the filter with this letter.
  DimensionHandle FilterDim(InferenceContext* c, char dimension) const {
    return c->Dim(filter, IndexOf(static_cast<int>(image.space.size()), filter_format, dimension));
  }
  OPSRUN_COLD Status FilterIn(InferenceContext* c, DimensionHandle* in) const {
    *in = FilterDim(c, 'I');
    return filter_format == FORMAT_OIHW_VECT_I ? Status(c->Multiply(*in, c->Dim(filter, -1), in)) : Status();
  }

  // The channels of the image form groups of the filter's size, and those of the output as many groups.
  OPSRUN_COLD Status CheckGroups(InferenceContext* c) const {
    DimensionHandle filter_in;
    TF_RETURN_IF_ERROR(FilterIn(c, &filter_in));
    const int64_t in = c->Value(image.features), group = c->Value(filter_in), out = c->Value(FilterDim(c, 'O'));
    if (in < 0 || group < 0) return Status();
    if (group == 0) return Invalid({"The filter has no input channels: ", c->DebugString(filter)});
    if (in % group != 0) {
      return Invalid({"An image of ", in, " channels does not fall into groups of ", group,
                      " channels, which the filter has: ", c->DebugString(filter)});
    }
    const int64_t groups = in / group;
    if (out < 0 || (groups > 0 && out % groups == 0)) return Status();
    return Invalid({"The filter has ", out, " output channels, which do not fall into ", groups, " groups"});
  }

  // Output 0: the windows of the image, with `features` channels.
  OPSRUN_COLD Status SetOutput(InferenceContext* c, bool with_explicit, DimensionHandle features) {
    PaddingAttrs padding;
    TF_RETURN_IF_ERROR(padding.Read(c, with_explicit, static_cast<int>(image.space.size()), format));
    for (size_t i = 0; i < image.space.size(); ++i) {
      const char dimension = static_cast<char>('0' + i);
      TF_RETURN_IF_ERROR(padding.Count(c, image.space[i], FilterDim(c, dimension),
                                       GetTensorDim(dilations, format, dimension),
                                       GetTensorDim(strides, format, dimension), format, dimension, &image.space[i]));
    }
    image.features = features;
    return image.SetOutput(c, format);
  }
};

OPSRUN_COLD inline Status GroupedConvolution(shape_inference::InferenceContext* c, int spatial, bool with_explicit) {
  Convolution conv;
  TF_RETURN_IF_ERROR(conv.Read(c, spatial));
  TF_RETURN_IF_ERROR(conv.CheckGroups(c));
  return conv.SetOutput(c, with_explicit, conv.FilterDim(c, 'O'));
}

// The filter of a depthwise convolution makes several output channels of each channel.
OPSRUN_COLD inline Status DepthwiseConvolution(shape_inference::InferenceContext* c, bool with_explicit) {
  Convolution conv;
  TF_RETURN_IF_ERROR(conv.Read(c, 2));
  shape_inference::DimensionHandle channels;
  TF_RETURN_IF_ERROR(conv.FilterIn(c, &channels));
  TF_RETURN_IF_ERROR(c->Merge(conv.image.features, channels, &channels));
  TF_RETURN_IF_ERROR(c->Multiply(channels, conv.FilterDim(c, 'O'), &channels));
  return conv.SetOutput(c, with_explicit, channels);
}

}  // namespace internal

namespace shape_inference {

// An image with two spatial dimensions, and a filter.
OPSRUN_COLD inline ReturnedStatus Conv2DShape(InferenceContext* c) {
  return internal::GroupedConvolution(c, 2, false);
}
OPSRUN_COLD inline ReturnedStatus Conv2DShapeWithExplicitPadding(InferenceContext* c) {
  return internal::GroupedConvolution(c, 2, true);
}
// The same with three spatial dimensions.
OPSRUN_COLD inline ReturnedStatus Conv3DShape(InferenceContext* c) {
  return internal::GroupedConvolution(c, 3, false);
}

// Each channel of the image is convolved with its own filters.
OPSRUN_COLD inline ReturnedStatus DepthwiseConv2DNativeShape(InferenceContext* c) {
  return internal::DepthwiseConvolution(c, false);
}
OPSRUN_COLD inline ReturnedStatus DepthwiseConv2DNativeShapeWithExplicitPadding(InferenceContext* c) {
  return internal::DepthwiseConvolution(c, true);
}

// Conv2D of quantized tensors; inputs 2 to 5 and outputs 1 and 2 are the scalar bounds of their ranges.
OPSRUN_COLD inline ReturnedStatus QuantizedConv2DShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(Conv2DShape(c));
  ShapeHandle scalar;
  for (int i = 2; i < 6; ++i) TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &scalar));
  for (int i = 1; i < 3; ++i) c->set_output(i, c->Scalar());
  return Status();
}

// The gradient for the image. Input 0: its sizes, or those of its spatial dimensions; 1: the filter; 2: the output's gradient.
OPSRUN_COLD inline ReturnedStatus Conv2DBackpropInputShape(InferenceContext* c) {
  TensorFormat format = FORMAT_NHWC;
  TF_RETURN_IF_ERROR(internal::ReadDataFormat(c, &format));
  ShapeHandle gradient, filter, sizes;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(2), 4, &gradient));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 4, &filter));
  internal::ImageDims out, image;
  TF_RETURN_IF_ERROR(out.Read(c, gradient, format));
  DimensionHandle merged;
  TF_RETURN_IF_ERROR(c->Merge(out.features, c->Dim(filter, 3), &merged));
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &sizes));
  if (c->Rank(sizes) == 2) {
    image.space = {c->Dim(sizes, 0), c->Dim(sizes, 1)};
    image.features = c->Dim(filter, 2);
  } else {
    TF_RETURN_IF_ERROR(c->WithRank(sizes, 4, &sizes));
    TF_RETURN_IF_ERROR(image.Read(c, sizes, format));
    TF_RETURN_IF_ERROR(c->Merge(image.batch, out.batch, &merged));
  }
  image.batch = out.batch;
  return image.SetOutput(c, format);
}

// The gradient for the filter, of the sizes in input 1, and a bias, as in TensorFlow with a number per channel of input 0.
OPSRUN_COLD inline ReturnedStatus Conv2DBackpropFilterWithBiasShape(InferenceContext* c) {
  TensorFormat format = FORMAT_NHWC;
  TF_RETURN_IF_ERROR(internal::ReadDataFormat(c, &format));
  ShapeHandle filter, image;
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &filter));
  TF_RETURN_IF_ERROR(c->WithRank(filter, 4, &filter));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 4, &image));
  c->set_output(0, filter);
  c->set_output(1, c->Vector(c->Dim(image, format == FORMAT_NCHW ? 1 : 3)));
  return Status();
}

}  // namespace shape_inference
}  // namespace OPSRUN_HIDDEN
