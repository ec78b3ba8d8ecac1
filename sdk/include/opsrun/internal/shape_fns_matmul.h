// opsrun/internal/shape_fns_matmul.h: the shapes of matrix products.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/shape_fns_broadcast.h"
#include "opsrun/namespace.h"
#include "opsrun/shape_inference.h"
#include "opsrun/status.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace shape_inference {

// [m,k] times [k,n] is [m,n]. The bool attrs transpose_a and transpose_b swap the dimensions of an input.
OPSRUN_COLD inline ReturnedStatus MatMulShape(InferenceContext* c) {
  ShapeHandle a, b;
  TF_RETURN_IF_ERROR(c->WithRank(c->input(0), 2, &a));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 2, &b));
  bool transpose_a = false, transpose_b = false;
  TF_RETURN_IF_ERROR(c->GetAttr("transpose_a", &transpose_a));
  TF_RETURN_IF_ERROR(c->GetAttr("transpose_b", &transpose_b));
  DimensionHandle inner;
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(a, transpose_a ? 0 : 1), c->Dim(b, transpose_b ? 1 : 0), &inner));
  c->set_output(0, c->Matrix(c->Dim(a, transpose_a ? 1 : 0), c->Dim(b, transpose_b ? 0 : 1)));
  return Status();
}

}  // namespace shape_inference

namespace internal {

// The batch dimensions of x and y, and the matrix of their product. The bool attrs adj_x and adj_y swap the last two
// dimensions of an input.
struct BatchProduct {
  shape_inference::ShapeHandle x_batch, y_batch, matrix;

  OPSRUN_COLD Status Read(shape_inference::InferenceContext* c) {
    shape_inference::ShapeHandle x, y;
    TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &x));
    TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 2, &y));
    bool adj_x = false, adj_y = false;
    TF_RETURN_IF_ERROR(c->GetAttr("adj_x", &adj_x));
    TF_RETURN_IF_ERROR(c->GetAttr("adj_y", &adj_y));
    shape_inference::DimensionHandle inner;
    TF_RETURN_IF_ERROR(c->Merge(c->Dim(x, adj_x ? -2 : -1), c->Dim(y, adj_y ? -1 : -2), &inner));
    matrix = c->Matrix(c->Dim(x, adj_x ? -1 : -2), c->Dim(y, adj_y ? -2 : -1));
    TF_RETURN_IF_ERROR(c->Subshape(x, 0, -2, &x_batch));
    return c->Subshape(y, 0, -2, &y_batch);
  }
};

}  // namespace internal

namespace shape_inference {

// [..,m,k] times [..,k,n]. The dimensions before the last two must be equal.
OPSRUN_COLD inline ReturnedStatus BatchMatMulShape(InferenceContext* c) {
  internal::BatchProduct product;
  TF_RETURN_IF_ERROR(product.Read(c));
  ShapeHandle shape;
  TF_RETURN_IF_ERROR(c->Merge(product.x_batch, product.y_batch, &shape));
  TF_RETURN_IF_ERROR(c->Concatenate(shape, product.matrix, &shape));
  c->set_output(0, shape);
  return Status();
}

// The same, but the dimensions before the last two are broadcast.
OPSRUN_COLD inline ReturnedStatus BatchMatMulV2Shape(InferenceContext* c) {
  internal::BatchProduct product;
  TF_RETURN_IF_ERROR(product.Read(c));
  ShapeHandle shape;
  TF_RETURN_IF_ERROR(BroadcastBinaryOpOutputShapeFnHelper(c, product.x_batch, product.y_batch, &shape));
  TF_RETURN_IF_ERROR(c->Concatenate(shape, product.matrix, &shape));
  c->set_output(0, shape);
  return Status();
}

}  // namespace shape_inference
}  // namespace OPSRUN_HIDDEN
