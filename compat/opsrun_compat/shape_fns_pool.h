// opsrun_compat/shape_fns_pool.h: shape functions of pooling and of batch normalization.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/common_shape_fns.h"
#include "opsrun/shape_inference.h"
#include "opsrun/status.h"
#include "opsrun_compat/basics.h"
#include "opsrun_compat/shape_fns_windows.h"
#include "opsrun_compat/tensor_format.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// Windows over the image in input 0.
struct Pooling {
  typedef shape_inference::InferenceContext InferenceContext;

  int spatial = 2;
  bool with_explicit = false;
  bool over_features = false;  // windows may also extend along the channels
  TensorFormat format = FORMAT_NHWC;
  std::vector<int32> ksize, strides;
  ImageDims image;

  OPSRUN_COLD Status ReadImage(InferenceContext* c) {
    TF_RETURN_IF_ERROR(ReadDataFormat(c, &format));
    shape_inference::ShapeHandle shape;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(0), GetTensorDimsFromSpatialDims(spatial, format), &shape));
    return image.Read(c, shape, format);
  }
  OPSRUN_COLD Status ReadWindows(InferenceContext* c) {
    TF_RETURN_IF_ERROR(ReadPerDim(c, "strides", spatial, &strides));
    return ReadPerDim(c, "ksize", spatial, &ksize);
  }

  OPSRUN_COLD Status SetOutput(InferenceContext* c) {
    PaddingAttrs padding;
    TF_RETURN_IF_ERROR(padding.Read(c, with_explicit, spatial, format));
    for (size_t i = 0; i < image.space.size(); ++i) {
      TF_RETURN_IF_ERROR(Count(c, padding, static_cast<char>('0' + i), &image.space[i]));
    }
    if (over_features) TF_RETURN_IF_ERROR(Count(c, padding, 'C', &image.features));
    return image.SetOutput(c, format);
  }

  // The number of windows along a dimension.
  OPSRUN_COLD Status Count(InferenceContext* c, const PaddingAttrs& padding, char dimension,
                           shape_inference::DimensionHandle* dim) const {
    return padding.Count(c, *dim, GetTensorDim(ksize, format, dimension), 1, GetTensorDim(strides, format, dimension),
                         format, dimension, dim);
  }

  OPSRUN_COLD Status Infer(InferenceContext* c) {
    TF_RETURN_IF_ERROR(ReadImage(c));
    TF_RETURN_IF_ERROR(ReadWindows(c));
    return SetOutput(c);
  }
};

// The elements of an int32 vector.
OPSRUN_COLD inline Status ReadInt32s(const Tensor& vector, std::vector<int32>* numbers) {
  if (vector.dtype() != DT_INT32) return Invalid({"Sizes of windows must be int32, but are ", vector.dtype()});
  const int32* data = static_cast<const int32*>(vector.data());
  numbers->assign(data, data + vector.NumElements());
  return Status();
}

// The shape that the value of input 0 represents, which has `rank` dimensions.
OPSRUN_COLD inline Status ShapeInInput(shape_inference::InferenceContext* c, int64_t rank) {
  shape_inference::ShapeHandle shape;
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &shape));
  TF_RETURN_IF_ERROR(c->WithRank(shape, rank, &shape));
  c->set_output(0, shape);
  return Status();
}

}  // namespace internal

namespace shape_inference {

// Windows over two spatial dimensions.
OPSRUN_COLD inline ReturnedStatus AvgPoolShape(InferenceContext* c) {
  return internal::Pooling().Infer(c);
}
// The same, also with windows along the channels.
OPSRUN_COLD inline ReturnedStatus MaxPoolShape(InferenceContext* c) {
  internal::Pooling pooling;
  pooling.over_features = true;
  return pooling.Infer(c);
}
OPSRUN_COLD inline ReturnedStatus MaxPoolShapeWithExplicitPadding(InferenceContext* c) {
  internal::Pooling pooling;
  pooling.over_features = pooling.with_explicit = true;
  return pooling.Infer(c);
}

// MaxPoolShape of an op that has ksize and strides as attrs or, if it has num_inputs inputs, as the last two of them.
OPSRUN_COLD inline ReturnedStatus MaxPoolV2Shape(InferenceContext* c, int num_inputs) {
  internal::Pooling pooling;
  pooling.over_features = true;
  if (c->num_inputs() + 2 == num_inputs) return pooling.Infer(c);
  TF_RETURN_IF_ERROR(pooling.ReadImage(c));
  for (int i = c->num_inputs() - 2; i < c->num_inputs(); ++i) {
    ShapeHandle vector;
    DimensionHandle size;
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &vector));
    TF_RETURN_IF_ERROR(c->WithValue(c->Dim(vector, 0), 4, &size));
  }
  const Tensor* ksize = c->input_tensor(c->num_inputs() - 2);
  const Tensor* strides = c->input_tensor(c->num_inputs() - 1);
  if (ksize == nullptr || strides == nullptr) return UnknownShape(c);
  TF_RETURN_IF_ERROR(internal::ReadInt32s(*ksize, &pooling.ksize));
  TF_RETURN_IF_ERROR(internal::ReadInt32s(*strides, &pooling.strides));
  return pooling.SetOutput(c);
}

// Windows over three spatial dimensions.
OPSRUN_COLD inline ReturnedStatus Pool3DShape(InferenceContext* c) {
  internal::Pooling pooling;
  pooling.spatial = 3;
  return pooling.Infer(c);
}

// Gradients for the input. AvgPool's has the input's sizes in the value of input 0, MaxPool's has the input as input 0.
OPSRUN_COLD inline ReturnedStatus AvgPoolGradShape(InferenceContext* c) {
  return internal::ShapeInInput(c, 4);
}
OPSRUN_COLD inline ReturnedStatus AvgPool3DGradShape(InferenceContext* c) {
  return internal::ShapeInInput(c, 5);
}
OPSRUN_COLD inline ReturnedStatus MaxPoolGradShape(InferenceContext* c) {
  return UnchangedShapeWithRank(c, 4);
}
OPSRUN_COLD inline ReturnedStatus MaxPool3DGradShape(InferenceContext* c) {
  return UnchangedShapeWithRank(c, 5);
}

// AvgPool of a quantized tensor; inputs and outputs 1 and 2 are the scalar bounds of its range.
OPSRUN_COLD inline ReturnedStatus QuantizedAvgPoolShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(AvgPoolShape(c));
  ShapeHandle scalar;
  for (int i = 1; i < 3; ++i) {
    TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 0, &scalar));
    c->set_output(i, c->Scalar());
  }
  return Status();
}

}  // namespace shape_inference

// Shape functions of batch normalization. Attrs: data_format and is_training.

namespace internal {

// The format and the rank of images, which have three spatial dimensions if the format contains D.
struct BatchNorm {
  typedef shape_inference::InferenceContext InferenceContext;

  TensorFormat format = FORMAT_NHWC;
  int rank = 4;
  bool is_training = false;
  shape_inference::DimensionHandle channels;

  OPSRUN_COLD Status Read(InferenceContext* c) {
    std::string text;
    TF_RETURN_IF_ERROR(c->GetAttr("data_format", &text));
    if (!FormatFromString(text, &format)) {
      return Invalid({"'", text, "' is not a format that this op has"}).Blame("attr:data_format");
    }
    rank = text == "NDHWC" || text == "NCDHW" ? 5 : 4;
    return c->GetAttr("is_training", &is_training);
  }

  int at() const { return GetTensorFeatureDimIndex(rank, format); }

  // Merge the channels of an image, and of vectors in inputs [begin, end).
  OPSRUN_COLD Status AddImage(InferenceContext* c, int input, shape_inference::ShapeHandle* image) {
    TF_RETURN_IF_ERROR(c->WithRank(c->input(input), rank, image));
    const shape_inference::DimensionHandle own = c->Dim(*image, at());
    return c->Merge(channels.IsSet() ? channels : own, own, &channels);
  }
  OPSRUN_COLD Status AddVectors(InferenceContext* c, int begin, int end) {
    for (int i = begin; i < end; ++i) {
      shape_inference::ShapeHandle vector;
      TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &vector));
      TF_RETURN_IF_ERROR(c->Merge(channels, c->Dim(vector, 0), &channels));
    }
    return Status();
  }
  // Output 0 is the image, outputs [1, vectors_end) have a number for each channel.
  OPSRUN_COLD Status SetOutputs(InferenceContext* c, shape_inference::ShapeHandle image, int vectors_end) {
    TF_RETURN_IF_ERROR(c->ReplaceDim(image, at(), channels, &image));
    c->set_output(0, image);
    for (int i = 1; i < vectors_end; ++i) c->set_output(i, c->Vector(channels));
    return Status();
  }
};

}  // namespace internal

namespace shape_inference {

// Inputs: the image, scale, offset, mean and variance, which are not checked in training. Outputs: image, four vectors.
OPSRUN_COLD inline ReturnedStatus FusedBatchNormShape(InferenceContext* c) {
  internal::BatchNorm norm;
  TF_RETURN_IF_ERROR(norm.Read(c));
  ShapeHandle image;
  TF_RETURN_IF_ERROR(norm.AddImage(c, 0, &image));
  TF_RETURN_IF_ERROR(norm.AddVectors(c, 1, norm.is_training ? 3 : 5));
  return norm.SetOutputs(c, image, 5);
}

// The same with a sixth output, whose shape is known only to the kernel.
OPSRUN_COLD inline ReturnedStatus FusedBatchNormV3Shape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(FusedBatchNormShape(c));
  c->set_output(5, c->UnknownShape());
  return Status();
}

// Inputs: the output's gradient, the image, three vectors. Outputs: image, scale and offset; two empty vectors.
OPSRUN_COLD inline ReturnedStatus FusedBatchNormGradShape(InferenceContext* c) {
  internal::BatchNorm norm;
  TF_RETURN_IF_ERROR(norm.Read(c));
  ShapeHandle gradient, image;
  TF_RETURN_IF_ERROR(norm.AddImage(c, 0, &gradient));
  TF_RETURN_IF_ERROR(norm.AddImage(c, 1, &image));
  TF_RETURN_IF_ERROR(norm.AddVectors(c, 2, 5));
  TF_RETURN_IF_ERROR(norm.SetOutputs(c, gradient, 3));
  for (int i = 3; i < 5; ++i) c->set_output(i, c->Vector(0));
  return Status();
}

}  // namespace shape_inference

}  // namespace OPSRUN_HIDDEN
