// plugins/array_ops/integers.cc: see integers.h.
// SPDX-License-Identifier: Apache-2.0
#include "integers.h"

namespace array_ops {

using namespace opsrun;
using shape_inference::InferenceContext;

std::vector<int64> Integers(const Tensor& tensor) {
  std::vector<int64> values(static_cast<size_t>(tensor.NumElements()));
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = tensor.dtype() == DT_INT32 ? static_cast<const int32*>(tensor.data())[i]
                                           : static_cast<const int64_t*>(tensor.data())[i];
  }
  return values;
}

namespace {

Status NotA(const char* what, const char* name, const std::string& shape) {
  return Wrong(name, name, " must be a ", what, ", but its shape is ", shape);
}

}  // namespace

Status ReadScalar(const Tensor& tensor, const char* name, int64* value) {
  if (tensor.dims() != 0) return NotA("scalar", name, tensor.shape().DebugString());
  *value = Integers(tensor)[0];
  return Status::OK();
}

Status ReadVector(const Tensor& tensor, const char* name, std::vector<int64>* values) {
  if (tensor.dims() != 1) return NotA("vector", name, tensor.shape().DebugString());
  *values = Integers(tensor);
  return Status::OK();
}

Status ReadShape(const Tensor& tensor, const char* name, TensorShape* shape) {
  std::vector<int64> sizes;
  TF_RETURN_IF_ERROR(ReadVector(tensor, name, &sizes));
  return TensorShapeUtils::MakeShape(sizes, shape).Blame("input:" + std::string(name));
}

Status ResolveAxis(int64 axis, int64 rank, const char* name, const char* what, int64* resolved) {
  if (rank == 0) return Wrong(name, what, " is a scalar, which has no dimension ", axis);
  if (axis < -rank || axis >= rank) {
    return Wrong(name, name, " is ", axis, ", but must be between ", -rank, " and ", rank - 1, ", since ", what,
                 " has rank ", rank);
  }
  *resolved = axis < 0 ? axis + rank : axis;
  return Status::OK();
}

Status CheckScalar(InferenceContext* c, int i, const char* name) {
  if (!c->RankKnown(c->input(i)) || c->Rank(c->input(i)) == 0) return Status::OK();
  return NotA("scalar", name, c->DebugString(c->input(i)));
}

Status CheckVector(InferenceContext* c, int i, const char* name) {
  if (!c->RankKnown(c->input(i)) || c->Rank(c->input(i)) == 1) return Status::OK();
  return NotA("vector", name, c->DebugString(c->input(i)));
}

Status SetUnknownOfRank(InferenceContext* c, int rank) {
  c->set_output(0, rank < 0 ? c->UnknownShape() : c->UnknownShapeOfRank(rank));
  return Status::OK();
}

}  // namespace array_ops
