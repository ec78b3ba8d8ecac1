// opsrun_compat/shape_fns_windows.h: helpers for shape functions of convolutions and pooling: numbers of windows,
// images in a TensorFormat, and their attrs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/shape_inference.h"
#include "opsrun/status.h"
#include "opsrun_compat/basics.h"
#include "opsrun_compat/padding.h"
#include "opsrun_compat/tensor_format.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace shape_inference {

// The number of windows of filter_size inputs, each dilation_rate apart, that begin at multiples of stride. before and
// after: the zeros around the inputs; they are used only if the padding is EXPLICIT.
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
OPSRUN_COLD inline Status CheckPacked(shape_inference::InferenceContext* c, shape_inference::ShapeHandle shape,
                                      TensorFormat format) {
  const int64_t packed = format == FORMAT_NCHW_VECT_C ? c->Value(c->Dim(shape, -1)) : kPacked;
  if (packed == 4 || packed == 32) return Status();
  return Invalid({"The last dimension of NCHW_VECT_C must be 4 or 32, but the shape is ", c->DebugString(shape)});
}

// The parts of an image's shape. Packed dimensions are unpacked.
struct ImageDims {
  shape_inference::DimensionHandle batch, features;
  std::vector<shape_inference::DimensionHandle> space;
  int64_t packed = kPacked;  // the size of the packed dimension

  // Requires: the rank of the shape is known.
  OPSRUN_COLD Status Read(shape_inference::InferenceContext* c, shape_inference::ShapeHandle shape,
                          TensorFormat format) {
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
  OPSRUN_COLD Status SetOutput(shape_inference::InferenceContext* c, TensorFormat format) const {
    ImageDims parts = *this;
    if (IsPacked(format)) TF_RETURN_IF_ERROR(c->Divide(*parts.Split(format), packed, true, parts.Split(format)));
    c->set_output(0, parts.Concatenated(c, format));
    return Status();
  }

  // The parts as stored, including the packed dimension.
  OPSRUN_COLD shape_inference::ShapeHandle Concatenated(shape_inference::InferenceContext* c,
                                                        TensorFormat format) const {
    const shape_inference::DimensionHandle last = IsPacked(format) ? c->MakeDim(packed) : batch;
    return c->MakeShape(InOrder(format, space, 'N', batch, 'C', features, last));
  }

 private:
  shape_inference::DimensionHandle* Split(TensorFormat format) {
    return format == FORMAT_NCHW_VECT_C ? &features : &space.back();
  }
};

// Reads a format from an attr. If the attr is missing, *format is unchanged.
template <typename Format, typename FromString>
OPSRUN_COLD Status ReadFormat(shape_inference::InferenceContext* c, const char* attr, FromString from_string,
                              Format* format) {
  std::string text;
  const Status status = c->GetAttr(attr, &text);
  if (status.code() == error::NOT_FOUND) return Status();
  if (!status.ok()) return status;
  if (from_string(text, format)) return Status();
  return Invalid({"'", text, "' is not a format that this op has"}).Blame("attr:" + std::string(attr));
}

OPSRUN_COLD inline Status ReadDataFormat(shape_inference::InferenceContext* c, TensorFormat* format) {
  return ReadFormat(c, "data_format", FormatFromString, format);
}

// A list with a number for each dimension of images with `spatial` spatial dimensions, in the order of their format.
OPSRUN_COLD inline Status ReadPerDim(shape_inference::InferenceContext* c, const char* attr, int spatial,
                                     std::vector<int32>* numbers) {
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

  OPSRUN_COLD Status Read(shape_inference::InferenceContext* c, bool with_explicit, int spatial, TensorFormat format) {
    TF_RETURN_IF_ERROR(c->GetAttr("padding", &padding));
    if (with_explicit) {
      const Status status = c->GetAttr("explicit_paddings", &zeros);
      if (!status.ok() && status.code() != error::NOT_FOUND) return status;
    }
    return CheckValidPadding(padding, zeros, spatial + 2, format);
  }

  // The number of windows along a dimension, which is 'C', '0', '1' or '2'.
  OPSRUN_COLD Status Count(shape_inference::InferenceContext* c, shape_inference::DimensionHandle input,
                           shape_inference::DimensionOrConstant filter, int64_t dilation, int64_t stride,
                           TensorFormat format, char dimension, shape_inference::DimensionHandle* output) const {
    int64_t before = 0, after = 0;
    if (padding == EXPLICIT) GetExplicitPaddingForDim(zeros, format, dimension, &before, &after);
    return shape_inference::GetWindowedOutputSizeFromDimsV2(c, input, filter, dilation, stride, padding, before, after,
                                                            output);
  }
};

}  // namespace internal

namespace shape_inference {

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

}  // namespace shape_inference
}  // namespace OPSRUN_HIDDEN
