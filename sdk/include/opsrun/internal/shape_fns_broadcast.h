// opsrun/internal/shape_fns_broadcast.h: shapes of operands that are broadcast against each other.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "opsrun/namespace.h"
#include "opsrun/shape_inference.h"
#include "opsrun/status.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// One dimension of a broadcast. Fails if the two dimensions differ and neither is 1.
OPSRUN_COLD inline Status BroadcastDim(shape_inference::InferenceContext* c, shape_inference::DimensionHandle x,
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
  return Status();
}

}  // namespace internal

namespace shape_inference {

// The shape of an elementwise result of x and y, aligned at their last dimensions as in NumPy.
OPSRUN_COLD inline ReturnedStatus BroadcastBinaryOpOutputShapeFnHelper(InferenceContext* c, ShapeHandle x,
                                                                       ShapeHandle y, ShapeHandle* out) {
  *out = ShapeHandle();
  if (!c->RankKnown(x) || !c->RankKnown(y)) {
    *out = c->UnknownShape();
    return Status();
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
  return Status();
}

// The same for ops that also have a result for incompatible shapes, such as "not equal". If `incompatible_is_error` is
// false, the shape is unknown unless both shapes are fully known and compatible.
OPSRUN_COLD inline ReturnedStatus BroadcastBinaryOpOutputShapeFnHelper(InferenceContext* c, ShapeHandle x,
                                                                       ShapeHandle y, bool incompatible_is_error,
                                                                       ShapeHandle* out) {
  const Status status = BroadcastBinaryOpOutputShapeFnHelper(c, x, y, out);
  if (incompatible_is_error) return status;
  if (!status.ok() || !c->FullyDefined(x) || !c->FullyDefined(y)) *out = c->UnknownShape();
  return Status();
}

inline ReturnedStatus BroadcastBinaryOpOutputShapeFn(InferenceContext* c, int output) {
  ShapeHandle shape;
  TF_RETURN_IF_ERROR(BroadcastBinaryOpOutputShapeFnHelper(c, c->input(0), c->input(1), &shape));
  c->set_output(output, shape);
  return Status();
}

inline ReturnedStatus BroadcastBinaryOpShapeFn(InferenceContext* c) {
  return BroadcastBinaryOpOutputShapeFn(c, 0);
}

}  // namespace shape_inference
}  // namespace OPSRUN_HIDDEN
