// opsrun_compat/shape_fns_batch_norm.h: the shapes of batch normalization.
//
// Attrs: data_format and is_training.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/shape_inference.h"
#include "opsrun/status.h"
#include "opsrun_compat/tensor_format.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// The format and the rank of images, which have three dimensions of space if the format says D.
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

  // An image, and vectors with a number for each channel in inputs [begin, end). All must have the same channels.
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

// Input 0 is the image; 1 and 2 are scale and offset, 3 and 4 mean and variance, which are not checked in training.
// Outputs: the image, and four vectors.
OPSRUN_COLD inline ReturnedStatus FusedBatchNormShape(InferenceContext* c) {
  internal::BatchNorm norm;
  TF_RETURN_IF_ERROR(norm.Read(c));
  ShapeHandle image;
  TF_RETURN_IF_ERROR(norm.AddImage(c, 0, &image));
  TF_RETURN_IF_ERROR(norm.AddVectors(c, 1, norm.is_training ? 3 : 5));
  return norm.SetOutputs(c, image, 5);
}

// The same with a sixth output, whose shape only the kernel knows.
OPSRUN_COLD inline ReturnedStatus FusedBatchNormV3Shape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(FusedBatchNormShape(c));
  c->set_output(5, c->UnknownShape());
  return Status();
}

// The gradients. Input 0 is that for the output, 1 the image, 2 to 4 are vectors. Outputs: the gradients for image,
// scale and offset, and two that are empty.
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
