// opsrun/internal/infer_values.h: the values of inputs that an InferenceContext can know before the run.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/shape_inference.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace shape_inference {

OPSRUN_COLD inline const Tensor* InferenceContext::WantValue(int64_t i, const opsrun_shape** as_shape) {
  static_assert(sizeof(Tensor) == sizeof(const opsrun_tensor*), "a Tensor is one pointer to a view");
  const uint32_t at = CheckIndex(i, call_->n_in, "input");
  const opsrun_tensor* value = nullptr;
  const int32_t code = call_->host->want_value(call_, at, &value, as_shape);
  if (code != OPSRUN_OK) {
    internal::Fail(Status(static_cast<error::Code>(code), "The host cannot tell an input's value"));
  }
  if (value == nullptr || !internal::HasSlots(value->dtype)) {
    values_[at] = value;
  } else if (values_[at] == nullptr) {
    values_[at] = new internal::SlotTensor(value, false);
  }
  // The slot is never destroyed as a Tensor, so it gives no reference back that it does not have.
  return values_[at] == nullptr ? nullptr : reinterpret_cast<const Tensor*>(&values_[at]);
}

OPSRUN_COLD inline InferenceContext::~InferenceContext() {
  for (const opsrun_tensor* value : values_) {
    if (value == nullptr) continue;
    if (internal::SlotTensor* slots = internal::SlotTensor::From(value)) slots->Release();
  }
}

OPSRUN_COLD inline const Tensor* InferenceContext::input_tensor(int64_t i) {
  return WantValue(i, nullptr);
}

OPSRUN_COLD inline Status InferenceContext::ReadInt(const Tensor& t, int64_t i, int64_t* value) {
  if (t.dtype() == DT_INT32) {
    *value = static_cast<const int32_t*>(t.data())[i];
  } else if (t.dtype() == DT_INT64) {
    *value = static_cast<const int64_t*>(t.data())[i];
  } else {
    return internal::Invalid({"Sizes and positions must be int32 or int64, but are ", DataTypeString(t.dtype())});
  }
  return Status::OK();
}

template <typename Int64>
Status InferenceContext::GetScalarFromTensor(const Tensor* t, Int64* value) {
  static_assert(sizeof(Int64) == sizeof(int64_t), "the value is an int64");
  if (t->dims() != 0) return internal::Invalid({"Tensor must be a scalar but is rank ", t->dims()});
  int64_t read = 0;
  TF_RETURN_IF_ERROR(ReadInt(*t, 0, &read));
  *value = read;
  return Status::OK();
}

template <typename Int64>
Status InferenceContext::GetScalarFromTensor(const Tensor* t, int64_t i, Int64* value) {
  static_assert(sizeof(Int64) == sizeof(int64_t), "the value is an int64");
  if (t->dims() != 1) return internal::Invalid({"Tensor must be a vector but is rank ", t->dims()});
  if (i < 0 || i >= t->NumElements()) {
    return internal::Invalid({"Tensor of ", t->NumElements(), " elements has no element ", i});
  }
  int64_t read = 0;
  TF_RETURN_IF_ERROR(ReadInt(*t, i, &read));
  *value = read;
  return Status::OK();
}

OPSRUN_COLD inline Status InferenceContext::MakeShapeFromShapeTensor(int64_t i, ShapeHandle* out) {
  *out = ShapeHandle();
  ShapeHandle vector;
  TF_RETURN_IF_ERROR(WithRank(input(i), 1, &vector));
  return MakeShapeFromValue(i, vector, out);
}

OPSRUN_COLD inline Status InferenceContext::MakeShapeFromShapeTensorTreatScalarAsUnknownShape(int64_t i,
                                                                                              ShapeHandle* out) {
  *out = ShapeHandle();
  ShapeHandle vector_or_scalar;
  TF_RETURN_IF_ERROR(WithRankAtMost(input(i), 1, &vector_or_scalar));
  return MakeShapeFromValue(i, vector_or_scalar, out);
}

OPSRUN_COLD inline Status InferenceContext::MakeShapeFromValue(int64_t i, ShapeHandle tensor_shape, ShapeHandle* out) {
  const opsrun_shape* as_shape = nullptr;
  const Tensor* t = WantValue(i, &as_shape);
  if (as_shape != nullptr && as_shape->rank >= 0) {
    *out = ShapeHandle(as_shape);
    return Status::OK();
  }
  if (t != nullptr) return MakeShapeFromTensor(i, *t, out);
  // A vector of n elements spells a shape of rank n, whatever they are.
  const bool is_vector = Rank(tensor_shape) == 1;
  return NewUnknownShape(is_vector ? Value(DimKnownRank(tensor_shape, 0)) : kUnknownRank, out);
}

OPSRUN_COLD inline Status InferenceContext::MakeShapeFromTensor(int64_t i, const Tensor& t, ShapeHandle* out) {
  int64_t size = 0;
  if (t.dims() == 0) {
    TF_RETURN_IF_ERROR(ReadInt(t, 0, &size).Blame(SubjectOf(i)));
    if (size == -1) return NewUnknownShape(kUnknownRank, out);
    return Error(
        i, {"A shape is spelled by a vector, or by the scalar -1 if it is unknown, but not by the scalar ", size});
  }
  if (t.dims() != 1) return Error(i, {"A shape is spelled by a vector, but the tensor is rank ", t.dims()});
  if (t.NumElements() > OPSRUN_MAX_RANK) {
    return Error(i, {"A shape of ", t.NumElements(), " dimensions; there may be ", OPSRUN_MAX_RANK});
  }
  std::vector<DimensionHandle> dims(static_cast<size_t>(t.NumElements()));
  for (size_t k = 0; k < dims.size(); ++k) {
    TF_RETURN_IF_ERROR(ReadInt(t, static_cast<int64_t>(k), &size).Blame(SubjectOf(i)));
    if (size < -1) return Error(i, {"Dimension ", k, " has size ", size, ", below -1"});
    TF_RETURN_IF_ERROR(NewDim(size, &dims[k]));
  }
  return NewShape(dims, out);
}

OPSRUN_COLD inline Status InferenceContext::MakeDimForScalarInput(int64_t i, DimensionHandle* out) {
  *out = DimensionHandle();
  const Tensor* t = input_tensor(i);
  if (t == nullptr) return NewDim(kUnknownDim, out);
  int64_t size = 0;
  TF_RETURN_IF_ERROR(GetScalarFromTensor(t, &size).Blame(SubjectOf(i)));
  if (size < 0) return Error(i, {"A size must be 0 or more, but is ", size});
  return NewDim(size, out);
}

OPSRUN_COLD inline Status InferenceContext::MakeDimForScalarInputWithNegativeIndexing(int64_t i, int rank,
                                                                                      DimensionHandle* out) {
  *out = DimensionHandle();
  const Tensor* t = input_tensor(i);
  if (t == nullptr) return NewDim(kUnknownDim, out);
  int64_t axis = 0;
  TF_RETURN_IF_ERROR(GetScalarFromTensor(t, &axis).Blame(SubjectOf(i)));
  if (rank < 0) return NewDim(axis < 0 ? kUnknownDim : axis, out);
  if (axis < -int64_t{rank} || axis >= rank) return Error(i, {"A tensor of rank ", rank, " has no axis ", axis});
  return NewDim(axis < 0 ? axis + rank : axis, out);
}

}  // namespace shape_inference
}  // namespace OPSRUN_HIDDEN
