// opsrun/common_shape_fns.h: shape functions that many ops share, for SetShapeFn.
//
// This file has the functions that copy shapes, and those of element-wise ops, of biases, of matrix products and of
// sparse tensors; internal/shape_fns_index.h has the others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <vector>

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

namespace internal {

// One dimension of a broadcast. Fails if the two dimensions differ and neither is 1.
OPSRUN_COLD inline Status BroadcastDim(InferenceContext* c, DimensionHandle x, DimensionHandle y,
                                       DimensionHandle* out) {
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
  return internal::SetOutput(c, output, BroadcastBinaryOpOutputShapeFnHelper(c, c->input(0), c->input(1), &shape),
                             shape);
}

inline ReturnedStatus BroadcastBinaryOpShapeFn(InferenceContext* c) {
  return BroadcastBinaryOpOutputShapeFn(c, 0);
}

}  // namespace shape_inference

// Shapes of ops with a bias, which is one number for each channel.

namespace internal {

// Input 0 and the position of its channels: dimension 1 if the attr data_format is "NCHW", otherwise the last one. The
// attr is optional.
OPSRUN_COLD inline Status FindChannels(InferenceContext* c, ShapeHandle* input, int64_t* channels) {
  std::string data_format;
  const Status status = c->GetAttr("data_format", &data_format);
  if (!status.ok() && status.code() != error::NOT_FOUND) return status;
  const bool first = data_format == "NCHW";
  *channels = first ? 1 : -1;
  return c->WithRankAtLeast(c->input(0), first ? 3 : 2, input);
}

}  // namespace internal

namespace shape_inference {

// The shape of input 0, which must have as many channels as the vector in input 1 has elements.
OPSRUN_COLD inline ReturnedStatus BiasAddShape(InferenceContext* c) {
  ShapeHandle input, bias;
  int64_t channels = 0;
  TF_RETURN_IF_ERROR(internal::FindChannels(c, &input, &channels));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &bias));
  DimensionHandle merged;
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(input, channels), c->Dim(bias, 0), &merged));
  return internal::SetOutput(c, 0, c->ReplaceDim(input, channels, merged, &input), input);
}

// A vector with one element for each channel of input 0.
OPSRUN_COLD inline ReturnedStatus BiasAddGradShape(InferenceContext* c) {
  ShapeHandle input;
  int64_t channels = 0;
  TF_RETURN_IF_ERROR(internal::FindChannels(c, &input, &channels));
  c->set_output(0, c->Vector(c->Dim(input, channels)));
  return Status();
}

// The shapes of matrix products.

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
  ShapeHandle x_batch, y_batch, matrix;

  OPSRUN_COLD Status Read(InferenceContext* c) {
    ShapeHandle x, y;
    TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(0), 2, &x));
    TF_RETURN_IF_ERROR(c->WithRankAtLeast(c->input(1), 2, &y));
    bool adj_x = false, adj_y = false;
    TF_RETURN_IF_ERROR(c->GetAttr("adj_x", &adj_x));
    TF_RETURN_IF_ERROR(c->GetAttr("adj_y", &adj_y));
    DimensionHandle inner;
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
  return internal::SetOutput(c, 0, c->Concatenate(shape, product.matrix, &shape), shape);
}

// The same, but the dimensions before the last two are broadcast.
OPSRUN_COLD inline ReturnedStatus BatchMatMulV2Shape(InferenceContext* c) {
  internal::BatchProduct product;
  TF_RETURN_IF_ERROR(product.Read(c));
  ShapeHandle shape;
  TF_RETURN_IF_ERROR(BroadcastBinaryOpOutputShapeFnHelper(c, product.x_batch, product.y_batch, &shape));
  return internal::SetOutput(c, 0, c->Concatenate(shape, product.matrix, &shape), shape);
}

// Shapes of sparse tensors, which are three tensors: the indices of the elements,
// their values, and the sizes of the dense tensor.

// Fails unless the three shapes can be those of a sparse tensor: [n, rank], [n] and [rank].
OPSRUN_COLD inline ReturnedStatus ValidateSparseTensor(InferenceContext* c, ShapeHandle indices, ShapeHandle values,
                                                       ShapeHandle sizes) {
  TF_RETURN_IF_ERROR(c->WithRank(indices, 2, &indices));
  TF_RETURN_IF_ERROR(c->WithRank(values, 1, &values));
  TF_RETURN_IF_ERROR(c->WithRank(sizes, 1, &sizes));
  DimensionHandle merged;
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(indices, 0), c->Dim(values, 0), &merged));
  return c->Merge(c->Dim(indices, 1), c->Dim(sizes, 0), &merged);
}

// The sparse tensor in inputs 0 to 2 without the axes in input 3, a scalar or vector. If the bool attr keep_dims is
// true, these dimensions are kept with size 1.
OPSRUN_COLD inline ReturnedStatus SparseReduceShapeFn(InferenceContext* c) {
  bool keep_dims = false;
  TF_RETURN_IF_ERROR(c->GetAttr("keep_dims", &keep_dims));
  const Tensor* sizes = c->input_tensor(2);
  const Tensor* axes = c->input_tensor(3);
  if (sizes == nullptr || axes == nullptr) {
    return internal::SetOutput(c, 0, Status(), c->UnknownShape());
  }
  ShapeHandle dense;
  TF_RETURN_IF_ERROR(c->MakeShapeFromTensor(sizes, ShapeHandle(), &dense));
  if (c->Rank(dense) == 0) return internal::Invalid({"A scalar cannot be a sparse tensor"});
  return internal::SetReduced(c, dense, *axes, keep_dims);
}

}  // namespace shape_inference
}  // namespace OPSRUN_HIDDEN
