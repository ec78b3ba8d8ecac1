// plugins/array_ops/gather_layout.cc: see gather_layout.h.
// SPDX-License-Identifier: Apache-2.0
#include "gather_layout.h"

#include "integers.h"
#include "opsrun/elements.h"

namespace array_ops {

using namespace opsrun;
using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

namespace {

// A negative number counts from the end of indices.
Status ResolveBatchDims(int64 batch_dims, int64 rank_of_indices, int64 axis, int64* resolved) {
  *resolved = batch_dims < 0 ? batch_dims + rank_of_indices : batch_dims;
  if (*resolved >= 0 && *resolved <= rank_of_indices && *resolved <= axis) return Status::OK();
  return errors::InvalidArgument("batch_dims is ", batch_dims, ", but indices has rank ", rank_of_indices,
                                 " and axis is ", axis, ": it must be at most both")
      .Blame("attr:batch_dims");
}

Status BatchesDiffer(int i, const std::string& params, const std::string& indices) {
  return Wrong("indices", "params and indices must have the same batch dimensions, but dimension ", i, " is ", params,
               " and ", indices);
}

int64 Product(const TensorShape& shape, int64 begin, int64 end) {
  int64 n = 1;
  for (int64 i = begin; i < end; ++i) n *= shape.dim_size(static_cast<int>(i));
  return n;
}

}  // namespace

Status GatherLayout::Make(const TensorShape& params, const TensorShape& indices, const Tensor* axis_input,
                          int64 batch_dims) {
  int64 at = 0;
  if (axis_input != nullptr) TF_RETURN_IF_ERROR(ReadScalar(*axis_input, "axis", &at));
  TF_RETURN_IF_ERROR(ResolveAxis(at, params.dims(), axis_input == nullptr ? "params" : "axis", "params", &at));
  TF_RETURN_IF_ERROR(ResolveBatchDims(batch_dims, indices.dims(), at, &batch_dims));
  axis = static_cast<int>(at);
  const int batches = static_cast<int>(batch_dims);
  for (int i = 0; i < batches; ++i) {
    if (params.dim_size(i) == indices.dim_size(i)) continue;
    return BatchesDiffer(i, std::to_string(params.dim_size(i)), std::to_string(indices.dim_size(i)));
  }
  if (params.dims() - 1 + indices.dims() - batches > OPSRUN_MAX_RANK) {
    return Wrong("indices", "the result would have more than ", OPSRUN_MAX_RANK, " dimensions");
  }
  batch = Product(params, 0, batch_dims);
  before = Product(params, batch_dims, at);
  size = params.dim_size(axis);
  slice = Product(params, at + 1, params.dims());
  count = Product(indices, batch_dims, indices.dims());
  for (int i = 0; i < axis; ++i) result.AddDim(params.dim_size(i));
  for (int i = batches; i < indices.dims(); ++i) result.AddDim(indices.dim_size(i));
  for (int i = axis + 1; i < params.dims(); ++i) result.AddDim(params.dim_size(i));
  return Status::OK();
}

namespace {

// The elements, once it is known which are taken. An index that is out of range is found when the op runs.
void PassTaken(InferenceContext* c, int64 axis) {
  const auto indices = c->passed_elements(1);
  if (!indices || !c->passed_elements(0)) return;
  std::vector<std::vector<int64_t>> positions(static_cast<size_t>(c->Rank(c->input(0))));
  for (size_t i = 0; i < positions.size(); ++i) {
    const int64 size = c->Value(c->Dim(c->input(0), static_cast<int>(i)));
    for (int64 k = 0; k < size && static_cast<int64>(i) != axis; ++k) positions[i].push_back(k);
    for (size_t k = 0; k < indices->size() && static_cast<int64>(i) == axis; ++k) {
      const shape_inference::KnownElement& index = (*indices)[k];
      if (!index.known() || index.value() < 0 || index.value() >= size) return;
      positions[i].push_back(index.value());
    }
  }
  shape_inference::TakeElements(c, 0, positions);
}

// The result's shape: params[:axis] + indices[batch_dims:] + params[axis + 1:].
Status JoinShapes(InferenceContext* c, int64 axis, int64 batch_dims) {
  const ShapeHandle params = c->input(0), indices = c->input(1);
  TF_RETURN_IF_ERROR(ResolveAxis(axis, c->Rank(params), c->num_inputs() > 2 ? "axis" : "params", "params", &axis));
  TF_RETURN_IF_ERROR(ResolveBatchDims(batch_dims, c->Rank(indices), axis, &batch_dims));
  std::vector<DimensionHandle> dims;
  for (int64 i = 0; i < axis; ++i) {
    DimensionHandle dim = c->Dim(params, i);
    if (i < batch_dims && !c->Merge(dim, c->Dim(indices, i), &dim).ok()) {
      return BatchesDiffer(static_cast<int>(i), c->DebugString(c->Dim(params, i)), c->DebugString(c->Dim(indices, i)));
    }
    dims.push_back(dim);
  }
  for (int64 i = batch_dims; i < c->Rank(indices); ++i) dims.push_back(c->Dim(indices, i));
  for (int64 i = axis + 1; i < c->Rank(params); ++i) dims.push_back(c->Dim(params, i));
  c->set_output(0, c->MakeShape(dims));
  if (batch_dims == 0) PassTaken(c, axis);
  return Status::OK();
}

}  // namespace

Status GatherShape(InferenceContext* c) {
  if (!c->RankKnown(c->input(0)) || !c->RankKnown(c->input(1))) return SetUnknownOfRank(c, -1);
  return JoinShapes(c, 0, 0);
}

Status GatherV2Shape(InferenceContext* c) {
  const ShapeHandle params = c->input(0), indices = c->input(1);
  int64 batch_dims;
  TF_RETURN_IF_ERROR(CheckScalar(c, 2, "axis"));
  TF_RETURN_IF_ERROR(c->GetAttr("batch_dims", &batch_dims));
  const Tensor* axis = c->input_tensor(2);
  if (!c->RankKnown(params) || !c->RankKnown(indices)) return SetUnknownOfRank(c, -1);
  if (axis != nullptr) return JoinShapes(c, Integers(*axis)[0], batch_dims);
  if (batch_dims < 0) batch_dims += c->Rank(indices);
  return SetUnknownOfRank(c, c->Rank(params) - 1 + c->Rank(indices) - static_cast<int>(batch_dims));
}

}  // namespace array_ops
