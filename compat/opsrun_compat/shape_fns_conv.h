// opsrun_compat/shape_fns_conv.h: shape functions of convolutions, and what they share with pooling.
//
// Attrs: strides and dilations, one per dimension of the image; padding; and maybe the formats and explicit_paddings.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/shape_inference.h"
#include "opsrun_compat/padding.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace shape_inference {

// The windows of filter_size inputs that begin at multiples of stride. before, after: used for an EXPLICIT padding.
OPSRUN_COLD inline ReturnedStatus GetWindowedOutputSizeFromDimsV2(InferenceContext* c, DimensionHandle input_size,
                                                                  DimensionOrConstant filter_size,
                                                                  int64_t dilation_rate, int64_t stride,
                                                                  Padding padding, int64_t before, int64_t after,
                                                                  DimensionHandle* output_size) {
  if (stride <= 0) return internal::Invalid({"The stride must be above 0, but is ", stride});
  if (dilation_rate <= 0) return internal::Invalid({"The dilation rate must be above 0, but is ", dilation_rate});
  DimensionHandle size = input_size;
  if (padding == SAME) {
    TF_RETURN_IF_ERROR(c->Add(size, stride - 1, &size));
    return c->Divide(size, stride, false, output_size);
  }
  if (padding == EXPLICIT) {
    TF_RETURN_IF_ERROR(c->Add(size, before, &size));
    TF_RETURN_IF_ERROR(c->Add(size, after, &size));
  }
  DimensionHandle covered = c->MakeDim(filter_size);
  if (dilation_rate > 1) {
    TF_RETURN_IF_ERROR(c->Subtract(covered, 1, &covered));
    TF_RETURN_IF_ERROR(c->Multiply(covered, dilation_rate, &covered));
    TF_RETURN_IF_ERROR(c->Add(covered, 1, &covered));
  }
  if (stride == 1 && c->Value(covered) == 1 && !c->ValueKnown(size)) {
    // The same handle, because the host may know that it equals other sizes.
    *output_size = size;
    return Status();
  }
  TF_RETURN_IF_ERROR(c->Subtract(size, covered, &size));
  TF_RETURN_IF_ERROR(c->Add(size, stride, &size));
  return c->Divide(size, stride, false, output_size);
}

// The same for adjacent inputs. INTERNAL: the padding is EXPLICIT.
OPSRUN_COLD inline ReturnedStatus GetWindowedOutputSizeFromDims(InferenceContext* c, DimensionHandle input_size,
                                                                DimensionOrConstant filter_size, int64_t stride,
                                                                Padding padding, DimensionHandle* output_size) {
  if (padding == EXPLICIT) {
    return errors::Internal("Padding is EXPLICIT: call GetWindowedOutputSizeFromDimsV2, which takes the zeros");
  }
  return GetWindowedOutputSizeFromDimsV2(c, input_size, filter_size, 1, stride, padding, 0, 0, output_size);
}

}  // namespace shape_inference

namespace internal {

// Fails unless NCHW_VECT_C packs 4 or 32 channels.
OPSRUN_COLD inline Status CheckPacked(InferenceContext* c, ShapeHandle shape, TensorFormat format) {
  const int64_t packed = format == FORMAT_NCHW_VECT_C ? c->Value(c->Dim(shape, -1)) : kPacked;
  if (packed == 4 || packed == 32) return Status();
  return Invalid({"The last dimension of NCHW_VECT_C must be 4 or 32, but the shape is ", c->DebugString(shape)});
}

// The parts of an image's shape. Packed dimensions are unpacked.
struct ImageDims {
  DimensionHandle batch, features;
  std::vector<DimensionHandle> space;
  int64_t packed = kPacked;  // the size of the packed dimension

  // Requires: the rank of the shape is known.
  OPSRUN_COLD Status Read(InferenceContext* c, ShapeHandle shape, TensorFormat format) {
    const int rank = c->Rank(shape);
    batch = c->Dim(shape, GetTensorBatchDimIndex(rank, format));
    features = c->Dim(shape, GetTensorFeatureDimIndex(rank, format));
    space.clear();
    for (int i = 0; i < GetTensorSpatialDims(rank, format); ++i) {
      space.push_back(c->Dim(shape, GetTensorSpatialDimIndex(rank, format, i)));
    }
    if (!IsPacked(format)) return Status();
    if (format == FORMAT_NCHW_VECT_C) {
      TF_RETURN_IF_ERROR(CheckPacked(c, shape, format));
      packed = c->Value(c->Dim(shape, -1));
    }
    return c->Multiply(*Split(format), c->Dim(shape, -1), Split(format));
  }

  // Output 0 is an image with these parts.
  OPSRUN_COLD Status SetOutput(InferenceContext* c, TensorFormat format) const {
    ImageDims parts = *this;
    if (IsPacked(format)) TF_RETURN_IF_ERROR(c->Divide(*parts.Split(format), packed, true, parts.Split(format)));
    c->set_output(0, parts.Concatenated(c, format));
    return Status();
  }

  // The parts as stored, including the packed dimension.
  OPSRUN_COLD ShapeHandle Concatenated(InferenceContext* c, TensorFormat format) const {
    const DimensionHandle last = IsPacked(format) ? c->MakeDim(packed) : batch;
    return c->MakeShape(InOrder(format, space, 'N', batch, 'C', features, last));
  }

 private:
  DimensionHandle* Split(TensorFormat format) { return format == FORMAT_NCHW_VECT_C ? &features : &space.back(); }
};

// Reads a format from an attr. If the attr is missing, *format is unchanged.
template <typename Format, typename FromString>
OPSRUN_COLD Status ReadFormat(InferenceContext* c, const char* attr, FromString from_string, Format* format) {
  std::string text;
  const Status status = c->GetAttr(attr, &text);
  if (status.code() == error::NOT_FOUND) return Status();
  if (!status.ok()) return status;
  if (from_string(text, format)) return Status();
  return Invalid({"'", text, "' is not a format that this op has"}).Blame("attr:" + std::string(attr));
}

OPSRUN_COLD inline Status ReadDataFormat(InferenceContext* c, TensorFormat* format) {
  return ReadFormat(c, "data_format", FormatFromString, format);
}

// A list with a number for each dimension of images with `spatial` spatial dimensions, in the order of their format.
OPSRUN_COLD inline Status ReadPerDim(InferenceContext* c, const char* attr, int spatial, std::vector<int32>* numbers) {
  TF_RETURN_IF_ERROR(c->GetAttr(attr, numbers));
  if (static_cast<int>(numbers->size()) == spatial + 2) return Status();
  return Invalid(
             {"'", attr, "' must have a number for each of ", spatial + 2, " dimensions, but has ", numbers->size()})
      .Blame("attr:" + std::string(attr));
}

// The attrs padding and, for ops that have it, explicit_paddings.
struct PaddingAttrs {
  Padding padding = VALID;
  std::vector<int64_t> zeros;

  OPSRUN_COLD Status Read(InferenceContext* c, bool with_explicit, int spatial, TensorFormat format) {
    TF_RETURN_IF_ERROR(c->GetAttr("padding", &padding));
    if (with_explicit) {
      const Status status = c->GetAttr("explicit_paddings", &zeros);
      if (!status.ok() && status.code() != error::NOT_FOUND) return status;
    }
    return CheckValidPadding(padding, zeros, spatial + 2, format);
  }

  // The number of windows along a dimension, which is 'C', '0', '1' or '2'.
  OPSRUN_COLD Status Count(InferenceContext* c, DimensionHandle input, DimensionOrConstant filter, int64_t dilation,
                           int64_t stride, TensorFormat format, char dimension, DimensionHandle* output) const {
    int64_t before = 0, after = 0;
    if (padding == EXPLICIT) GetExplicitPaddingForDim(zeros, format, dimension, &before, &after);
    return shape_inference::GetWindowedOutputSizeFromDimsV2(c, input, filter, dilation, stride, padding, before, after,
                                                            output);
  }
};

// A convolution of input 0 with the filter in input 1.
struct Convolution {
  TensorFormat format = FORMAT_NHWC;
  FilterTensorFormat filter_format = FORMAT_HWIO;
  std::vector<int32> strides, dilations;
  ImageDims image;
  ShapeHandle filter;

  OPSRUN_COLD Status Read(InferenceContext* c, int spatial) {
    TF_RETURN_IF_ERROR(ReadDataFormat(c, &format));
    if (spatial == 2) TF_RETURN_IF_ERROR(ReadFormat(c, "filter_format", FilterFormatFromString, &filter_format));
    const int rank = GetTensorDimsFromSpatialDims(spatial, format);
    ShapeHandle shape;
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

OPSRUN_COLD inline Status GroupedConvolution(InferenceContext* c, int spatial, bool with_explicit) {
  Convolution conv;
  TF_RETURN_IF_ERROR(conv.Read(c, spatial));
  TF_RETURN_IF_ERROR(conv.CheckGroups(c));
  return conv.SetOutput(c, with_explicit, conv.FilterDim(c, 'O'));
}

// The filter of a depthwise convolution makes several output channels of each channel.
OPSRUN_COLD inline Status DepthwiseConvolution(InferenceContext* c, bool with_explicit) {
  Convolution conv;
  TF_RETURN_IF_ERROR(conv.Read(c, 2));
  DimensionHandle channels;
  TF_RETURN_IF_ERROR(conv.FilterIn(c, &channels));
  TF_RETURN_IF_ERROR(c->Merge(conv.image.features, channels, &channels));
  TF_RETURN_IF_ERROR(c->Multiply(channels, conv.FilterDim(c, 'O'), &channels));
  return conv.SetOutput(c, with_explicit, channels);
}

}  // namespace internal

namespace shape_inference {

#define OPSRUN_SHAPE_FN(Name, result)                           \
  OPSRUN_COLD inline ReturnedStatus Name(InferenceContext* c) { \
    return result;                                              \
  }

// The shape of an image with these parts. In formats with a packed dimension, of size 4, the size is divided by it.
OPSRUN_COLD inline ReturnedStatus MakeShapeFromFormat(TensorFormat format, DimensionOrConstant n,
                                                      const std::vector<DimensionOrConstant>& space,
                                                      DimensionOrConstant channels, ShapeHandle* out,
                                                      InferenceContext* c) {
  internal::ImageDims dims;
  dims.batch = c->MakeDim(n);
  dims.features = c->MakeDim(channels);
  for (const DimensionOrConstant& size : space) dims.space.push_back(c->MakeDim(size));
  *out = dims.Concatenated(c, format);
  return Status();
}

// An image with two or three spatial dimensions, and a filter; or filters for each channel of the image.
OPSRUN_SHAPE_FN(Conv2DShape, internal::GroupedConvolution(c, 2, false))
OPSRUN_SHAPE_FN(Conv2DShapeWithExplicitPadding, internal::GroupedConvolution(c, 2, true))
OPSRUN_SHAPE_FN(Conv3DShape, internal::GroupedConvolution(c, 3, false))
OPSRUN_SHAPE_FN(DepthwiseConv2DNativeShape, internal::DepthwiseConvolution(c, false))
OPSRUN_SHAPE_FN(DepthwiseConv2DNativeShapeWithExplicitPadding, internal::DepthwiseConvolution(c, true))

// Conv2D of quantized tensors; inputs 2 to 5 and outputs 1 and 2 are the scalar bounds of their ranges.
OPSRUN_COLD inline ReturnedStatus QuantizedConv2DShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(Conv2DShape(c));
  ShapeHandle scalar;
  for (int i = 2; i < 6; ++i) TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &scalar));
  for (int i = 1; i < 3; ++i) c->set_output(i, c->Scalar());
  return Status();
}

// The gradient for the image. Inputs: its sizes, or those of its spatial dimensions; the filter; the output's gradient.
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

// The gradient for the filter, of the sizes in input 1, and for a bias, which has a number per channel of input 0.
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

#undef OPSRUN_SHAPE_FN

}  // namespace shape_inference
}  // namespace OPSRUN_HIDDEN
