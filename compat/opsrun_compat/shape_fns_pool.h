// opsrun_compat/shape_fns_pool.h: shape functions of pooling and batch normalization, and of single ops: quantized
// concatenation, iterators of datasets, handles of variables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/common_shape_fns.h"
#include "opsrun_compat/shape_fns_conv.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// Windows over the image in input 0.
struct Pooling {
  // over_features: windows may also extend along the channels.
  explicit Pooling(int the_spatial = 2, bool is_over_features = false, bool takes_explicit = false)
      : spatial(the_spatial), over_features(is_over_features), with_explicit(takes_explicit) {}

  int spatial;
  bool over_features, with_explicit;
  TensorFormat format = FORMAT_NHWC;
  std::vector<int32> ksize, strides;
  ImageDims image;

  OPSRUN_COLD Status ReadImage(InferenceContext* c) {
    TF_RETURN_IF_ERROR(ReadDataFormat(c, &format));
    ShapeHandle shape;
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
                           DimensionHandle* dim) const {
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
OPSRUN_COLD inline Status ShapeInInput(InferenceContext* c, int64_t rank) {
  ShapeHandle shape;
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(0, &shape));
  return SetOutput(c, 0, c->WithRank(shape, rank, &shape), shape);
}

// Batch normalization, by data_format and is_training. Images have three spatial dimensions if the format has a D.
struct BatchNorm {
  TensorFormat format = FORMAT_NHWC;
  int rank = 4;
  bool is_training = false;
  DimensionHandle channels;

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
  OPSRUN_COLD Status AddImage(InferenceContext* c, int input, ShapeHandle* image) {
    TF_RETURN_IF_ERROR(c->WithRank(c->input(input), rank, image));
    const DimensionHandle own = c->Dim(*image, at());
    return c->Merge(channels.IsSet() ? channels : own, own, &channels);
  }
  OPSRUN_COLD Status AddVectors(InferenceContext* c, int begin, int end) {
    for (int i = begin; i < end; ++i) {
      ShapeHandle vector;
      TF_RETURN_IF_ERROR(c->WithRank(c->input(i), 1, &vector));
      TF_RETURN_IF_ERROR(c->Merge(channels, c->Dim(vector, 0), &channels));
    }
    return Status();
  }
  // Output 0 is the image, outputs [1, vectors_end) have a number for each channel.
  OPSRUN_COLD Status SetOutputs(InferenceContext* c, ShapeHandle image, int vectors_end) {
    TF_RETURN_IF_ERROR(c->ReplaceDim(image, at(), channels, &image));
    c->set_output(0, image);
    for (int i = 1; i < vectors_end; ++i) c->set_output(i, c->Vector(channels));
    return Status();
  }
};

}  // namespace internal

namespace shape_inference {

#define OPSRUN_SHAPE_FN(Name, result)                           \
  OPSRUN_COLD inline ReturnedStatus Name(InferenceContext* c) { \
    return result;                                              \
  }

// Windows over two or three spatial dimensions; those of MaxPool also along the channels.
OPSRUN_SHAPE_FN(AvgPoolShape, internal::Pooling().Infer(c))
OPSRUN_SHAPE_FN(Pool3DShape, internal::Pooling(3).Infer(c))
OPSRUN_SHAPE_FN(MaxPoolShape, internal::Pooling(2, true).Infer(c))
OPSRUN_SHAPE_FN(MaxPoolShapeWithExplicitPadding, internal::Pooling(2, true, true).Infer(c))

// MaxPoolShape of an op that has ksize and strides as attrs or, if it has num_inputs inputs, as the last two of them.
OPSRUN_COLD inline ReturnedStatus MaxPoolV2Shape(InferenceContext* c, int num_inputs) {
  internal::Pooling pooling(2, true);
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

// Gradients for the input. AvgPool's has the input's sizes in the value of input 0, MaxPool's has the input as input 0.
OPSRUN_SHAPE_FN(AvgPoolGradShape, internal::ShapeInInput(c, 4))
OPSRUN_SHAPE_FN(AvgPool3DGradShape, internal::ShapeInInput(c, 5))
OPSRUN_SHAPE_FN(MaxPoolGradShape, UnchangedShapeWithRank(c, 4))
OPSRUN_SHAPE_FN(MaxPool3DGradShape, UnchangedShapeWithRank(c, 5))

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

// Concatenates the inputs before `count` along the axis that the next one gives. Outputs 1 and 2 are the caller's.
OPSRUN_COLD inline ReturnedStatus QuantizedConcatV2Shape(InferenceContext* c, int count) {
  return internal::ConcatAlong(c, 0, count, count);
}

// Input 0 is a scalar. The attr output_shapes has the shape of each output.
OPSRUN_COLD inline ReturnedStatus DatasetIteratorShape(InferenceContext* c) {
  ShapeHandle scalar;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 0, &scalar));
  return internal::OutputsOfAttr(c, "output_shapes");
}

// Appends nothing: opsrun does not track the shapes of variables behind resource handles.
inline ReturnedStatus ValidateVariableResourceHandle(InferenceContext* c, std::vector<ShapeAndType>* variable) {
  variable->emplace_back(c->UnknownShape(), DT_INVALID);
  return Status();
}

#undef OPSRUN_SHAPE_FN

}  // namespace shape_inference

}  // namespace OPSRUN_HIDDEN
