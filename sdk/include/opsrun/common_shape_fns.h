// opsrun/common_shape_fns.h: shape functions that many ops share, for SetShapeFn.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "opsrun/namespace.h"
#include "opsrun/shape_inference.h"
#include "opsrun/status.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace shape_inference {

// Output 0 has the shape of input 0.
inline Status UnchangedShape(InferenceContext* c) {
  c->set_output(0, c->input(0));
  return Status::OK();
}

// The same, of an input whose rank is asserted. Called from a shape function with the rank.
inline Status UnchangedShapeWithRank(InferenceContext* c, int32_t rank) {
  ShapeHandle shape;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), rank, &shape));
  c->set_output(0, shape);
  return Status::OK();
}

inline Status UnchangedShapeWithRankAtLeast(InferenceContext* c, int32_t rank) {
  ShapeHandle shape;
  TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), rank, &shape));
  c->set_output(0, shape);
  return Status::OK();
}

inline Status UnchangedShapeWithRankAtMost(InferenceContext* c, int32_t rank) {
  ShapeHandle shape;
  TF_RETURN_IF_ERROR(c->WithRankAtMost(c->input(0), rank, &shape));
  c->set_output(0, shape);
  return Status::OK();
}

inline Status NoOutputs(InferenceContext*) {
  return Status::OK();
}

inline Status ScalarShape(InferenceContext* c) {
  c->set_output(0, c->Scalar());
  return Status::OK();
}

// Every output is unknown.
inline Status UnknownShape(InferenceContext* c) {
  for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, c->UnknownShape());
  return Status::OK();
}

// Inputs 0 and 1 have one shape, and so has output 0.
inline Status MergeBothInputsShapeFn(InferenceContext* c) {
  ShapeHandle shape;
  TF_RETURN_IF_ERROR(c->Merge(c->input(0), c->input(1), &shape));
  c->set_output(0, shape);
  return Status::OK();
}

}  // namespace shape_inference

namespace internal {

// One dimension of a broadcast, of the dimensions at one place. Fails if they differ and neither is 1.
inline Status BroadcastDim(shape_inference::InferenceContext* c, shape_inference::DimensionHandle x,
                           shape_inference::DimensionHandle y, shape_inference::DimensionHandle* out) {
  const int64_t a = c->Value(x), b = c->Value(y);
  if (a >= 0 && b >= 0 && a != 1 && b != 1) return c->Merge(x, y, out);
  if (a > 1) {
    *out = x;
  } else if (b > 1 || a == 1) {
    *out = y;
  } else {
    *out = b == 1 || x.SameHandle(y) ? x : c->UnknownDim();
  }
  return Status::OK();
}

}  // namespace internal

namespace shape_inference {

// The shape of an element by element result of x and y, aligned at their last dimensions as NumPy does.
inline Status BroadcastBinaryOpOutputShapeFnHelper(InferenceContext* c, ShapeHandle x, ShapeHandle y,
                                                   ShapeHandle* out) {
  *out = ShapeHandle();
  if (!c->RankKnown(x) || !c->RankKnown(y)) {
    *out = c->UnknownShape();
    return Status::OK();
  }
  const int32_t rank = std::max(c->Rank(x), c->Rank(y));
  std::vector<DimensionHandle> dims(static_cast<size_t>(rank));
  for (int32_t i = 0; i < rank; ++i) {
    const int32_t in_x = i - (rank - c->Rank(x)), in_y = i - (rank - c->Rank(y));
    DimensionHandle* dim = &dims[static_cast<size_t>(i)];
    if (in_x < 0 || in_y < 0) {
      *dim = in_x < 0 ? c->Dim(y, in_y) : c->Dim(x, in_x);
    } else if (!internal::BroadcastDim(c, c->Dim(x, in_x), c->Dim(y, in_y), dim).ok()) {
      return errors::InvalidArgument("Shapes ", c->DebugString(x), " and ", c->DebugString(y),
                                     " cannot be broadcast together: dimension ", i - rank, " is ",
                                     c->DebugString(c->Dim(x, in_x)), " and ", c->DebugString(c->Dim(y, in_y)));
    }
  }
  *out = c->MakeShape(dims);
  return Status::OK();
}

inline Status BroadcastBinaryOpOutputShapeFn(InferenceContext* c, int output) {
  ShapeHandle shape;
  TF_RETURN_IF_ERROR(BroadcastBinaryOpOutputShapeFnHelper(c, c->input(0), c->input(1), &shape));
  c->set_output(output, shape);
  return Status::OK();
}

inline Status BroadcastBinaryOpShapeFn(InferenceContext* c) {
  return BroadcastBinaryOpOutputShapeFn(c, 0);
}

// Of matrices [m,k] and [k,n]: [m,n]. The bool attrs transpose_a and transpose_b exchange an input's dimensions.
inline Status MatMulShape(InferenceContext* c) {
  ShapeHandle a, b;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &a));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &b));
  bool transpose_a = false, transpose_b = false;
  TF_RETURN_IF_ERROR(c->GetAttr("transpose_a", &transpose_a));
  TF_RETURN_IF_ERROR(c->GetAttr("transpose_b", &transpose_b));
  DimensionHandle inner;
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(a, transpose_a ? 0 : 1), c->Dim(b, transpose_b ? 1 : 0), &inner));
  c->set_output(0, c->Matrix(c->Dim(a, transpose_a ? 1 : 0), c->Dim(b, transpose_b ? 0 : 1)));
  return Status::OK();
}

}  // namespace shape_inference
}  // namespace OPSRUN_HIDDEN
