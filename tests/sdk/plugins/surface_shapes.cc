// tests/sdk/plugins/surface_shapes.cc: the API of shape functions, as sources for TensorFlow call it.
// SPDX-License-Identifier: Apache-2.0
#include "tensorflow/core/framework/common_shape_fns.h"
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/shape_inference.h"

using namespace tensorflow;
using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeAndType;
using shape_inference::ShapeHandle;

REGISTER_OP("Joined")
    .Input("values: N * float")
    .Input("axis: int32")
    .Output("y: float")
    .Attr("N: int >= 1")
    .SetShapeFn(shape_inference::ConcatV2Shape);

REGISTER_OP("Reduced")
    .Input("x: float")
    .Input("axes: int64")
    .Output("y: float")
    .Attr("keep_dims: bool = false")
    .SetShapeFn(shape_inference::ReductionShape);

REGISTER_OP("Biased")
    .Input("x: float")
    .Input("bias: float")
    .Output("y: float")
    .Attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
    .SetShapeFn(shape_inference::BiasAddShape);

REGISTER_OP("Products")
    .Input("x: float")
    .Input("y: float")
    .Output("z: float")
    .Attr("adj_x: bool = false")
    .Attr("adj_y: bool = false")
    .SetShapeFn(shape_inference::BatchMatMulV2Shape);

REGISTER_OP("Different").Input("x: float").Input("y: float").Output("z: bool").SetShapeFn([](InferenceContext* c) {
  ShapeHandle out;
  TF_RETURN_IF_ERROR(BroadcastBinaryOpOutputShapeFnHelper(c, c->input(0), c->input(1), false, &out));
  c->set_output(0, out);
  return Status::OK();
});

// Calls of the kinds that the others do not use.
REGISTER_OP("Spelled").Input("x: float").Input("shape: int32").Output("y: float").SetShapeFn([](InferenceContext* c) {
  TF_RETURN_IF_ERROR(c->construction_status());
  if (c->graph_def_version() < 21) return errors::Unimplemented("old graphs");
  ShapeHandle matrix, spelled;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 1, &matrix));
  const bool learnt = c->MergeInput(0, matrix);
  if (learnt) c->SetInput(0, matrix);
  c->request_input_tensor(1);
  const Tensor* value = c->input_tensor(1);
  TF_RETURN_IF_ERROR(c->MakeShapeFromTensor(value, c->input(1), &spelled));
  const std::vector<ShapeHandle>& partial = c->input_tensors_as_shapes();
  if (!c->RankKnown(spelled) && partial[1].IsSet()) spelled = partial[1];
  const std::vector<ShapeAndType>* pointees = c->input_handle_shapes_and_types(0);
  if (pointees != nullptr && !pointees->empty()) spelled = pointees->at(0).shape;
  c->set_output_handle_shapes_and_types(0, std::vector<ShapeAndType>{{spelled, DT_FLOAT}});
  DimensionHandle half;
  TF_RETURN_IF_ERROR(c->Divide(c->NumElements(spelled), 2, false /* evenly_divisible */, &half));
  TF_RETURN_IF_ERROR(c->Concatenate(spelled, c->Vector(half), &spelled));
  c->set_output(0, spelled);
  return Status::OK();
});
