// opsrun/internal/shape_fns_sparse.h: shapes of sparse tensors, which are three tensors: the indices of the elements,
// their values, and the sizes of the dense tensor.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "opsrun/internal/shape_fns_axes.h"
#include "opsrun/namespace.h"
#include "opsrun/shape_inference.h"
#include "opsrun/status.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace shape_inference {

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

// The sparse tensor in inputs 0 to 2 without the dimensions that input 3, a scalar or vector of axes, names. If the
// bool attr keep_dims is true, these dimensions are kept with size 1.
OPSRUN_COLD inline ReturnedStatus SparseReduceShapeFn(InferenceContext* c) {
  bool keep_dims = false;
  TF_RETURN_IF_ERROR(c->GetAttr("keep_dims", &keep_dims));
  const Tensor* sizes = c->input_tensor(2);
  const Tensor* axes = c->input_tensor(3);
  if (sizes == nullptr || axes == nullptr) {
    c->set_output(0, c->UnknownShape());
    return Status();
  }
  ShapeHandle dense;
  TF_RETURN_IF_ERROR(c->MakeShapeFromTensor(sizes, ShapeHandle(), &dense));
  if (c->Rank(dense) == 0) return internal::Invalid({"A scalar cannot be a sparse tensor"});
  return internal::SetReduced(c, dense, *axes, keep_dims);
}

}  // namespace shape_inference
}  // namespace OPSRUN_HIDDEN
