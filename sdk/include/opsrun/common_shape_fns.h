// opsrun/common_shape_fns.h: shape functions that many ops share, for SetShapeFn.
//
// This file has the functions that copy shapes. The others compute shapes; each family has its own header, which is
// included below.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "opsrun/internal/shape_fns_broadcast.h"
#include "opsrun/internal/shape_fns_index.h"
#include "opsrun/namespace.h"
#include "opsrun/shape_inference.h"
#include "opsrun/status.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// The attr holds the shape of each output.
OPSRUN_COLD inline Status OutputsOfAttr(InferenceContext* c, const std::string& attr) {
  std::vector<PartialTensorShape> stored;
  TF_RETURN_IF_ERROR(c->GetAttr(attr, &stored));
  if (static_cast<int64_t>(stored.size()) != c->num_outputs()) {
    return Invalid({"There are ", stored.size(), " shapes for ", c->num_outputs(), " outputs"}).Blame("attr:" + attr);
  }
  for (size_t i = 0; i < stored.size(); ++i) {
    ShapeHandle shape;
    TF_RETURN_IF_ERROR(c->MakeShapeFromPartialTensorShape(stored[i], &shape));
    c->set_output(static_cast<int64_t>(i), shape);
  }
  return Status();
}

}  // namespace internal
namespace shape_inference {

// Output 0 has the shape of input 0.
inline ReturnedStatus UnchangedShape(InferenceContext* c) {
  c->set_output(0, c->input(0));
  return Status();
}

// Like UnchangedShape, but also check the rank of input 0. For calls from a shape function that knows the rank.
inline ReturnedStatus UnchangedShapeWithRank(InferenceContext* c, int32_t rank) {
  ShapeHandle shape;
  return internal::SetOutput(c, 0, c->WithRank(c->input(0), rank, &shape), shape);
}

inline ReturnedStatus UnchangedShapeWithRankAtLeast(InferenceContext* c, int32_t rank) {
  ShapeHandle shape;
  return internal::SetOutput(c, 0, c->WithRankAtLeast(c->input(0), rank, &shape), shape);
}

inline ReturnedStatus UnchangedShapeWithRankAtMost(InferenceContext* c, int32_t rank) {
  ShapeHandle shape;
  return internal::SetOutput(c, 0, c->WithRankAtMost(c->input(0), rank, &shape), shape);
}

inline ReturnedStatus NoOutputs(InferenceContext*) {
  return Status();
}

inline ReturnedStatus ScalarShape(InferenceContext* c) {
  c->set_output(0, c->Scalar());
  return Status();
}

// Every output has an unknown shape.
inline ReturnedStatus UnknownShape(InferenceContext* c) {
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, c->UnknownShape());
  return Status();
}

// Inputs 0 and 1 must have the same shape, which is also the shape of output 0.
inline ReturnedStatus MergeBothInputsShapeFn(InferenceContext* c) {
  ShapeHandle shape;
  return internal::SetOutput(c, 0, c->Merge(c->input(0), c->input(1), &shape), shape);
}

// The value of input 0 is the shape of output 0.
inline ReturnedStatus RandomShape(InferenceContext* c) {
  ShapeHandle shape;
  return internal::SetOutput(c, 0, c->MakeShapeFromShapeTensor(0, &shape), shape);
}

// The attr "shape" is the shape of output 0.
OPSRUN_COLD inline ReturnedStatus ExplicitShape(InferenceContext* c) {
  PartialTensorShape stored;
  ShapeHandle shape;
  TF_RETURN_IF_ERROR(c->GetAttr("shape", &stored));
  return internal::SetOutput(c, 0, c->MakeShapeFromPartialTensorShape(stored, &shape), shape);
}

// The attr "shapes" holds the shape of each output.
inline ReturnedStatus ExplicitShapes(InferenceContext* c) {
  return internal::OutputsOfAttr(c, "shapes");
}

}  // namespace shape_inference
}  // namespace OPSRUN_HIDDEN
