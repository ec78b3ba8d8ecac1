// opsrun/check_shapes.h: checks of an input's shape, worded the same in kernels and in shape functions.
//
// Each function returns OK, or INVALID_ARGUMENT that blames the input and gives the expected and the actual shape:
// "axis must be a scalar, but its shape is [2]". `name` is the name of the input. A kernel passes the shape:
//
//   OP_REQUIRES_OK(context, CheckScalar(context->input(1).shape(), "axis"));
//
// A shape function passes its context and the index of the input. Unknown ranks and sizes pass the check, so the kernel
// must check its inputs again:
//
//   TF_RETURN_IF_ERROR(CheckScalar(c, 1, "axis"));
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "opsrun/namespace.h"
#include "opsrun/shape_inference.h"
#include "opsrun/status.h"
#include "opsrun/tensor_shape.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

OPSRUN_COLD inline ReturnedStatus WrongShape(std::string_view name, const std::string& expected,
                                             const std::string& shape) {
  return Invalid({name, " must ", expected, ", but its shape is ", shape}).Blame("input:" + std::string(name));
}

OPSRUN_COLD inline std::string OfShape(std::string_view of, const std::string& shape) {
  return "have the shape " + (of.empty() ? shape : "of " + std::string(of) + ", which is " + shape);
}

inline ReturnedStatus CheckRank(const TensorShape& shape, std::string_view name, int rank, const char* expected) {
  return shape.dims() == rank ? ReturnedStatus() : WrongShape(name, expected, shape.DebugString());
}

OPSRUN_COLD inline ReturnedStatus CheckRank(InferenceContext* c, int input, std::string_view name, int rank,
                                            const char* expected) {
  const ShapeHandle shape = c->input(input);
  if (!c->RankKnown(shape) || c->Rank(shape) == rank) return {};
  return WrongShape(name, expected, c->DebugString(shape));
}

}  // namespace internal

// Requires rank 0.
inline ReturnedStatus CheckScalar(const TensorShape& shape, std::string_view name) {
  return internal::CheckRank(shape, name, 0, "be a scalar");
}
inline ReturnedStatus CheckScalar(shape_inference::InferenceContext* c, int input, std::string_view name) {
  return internal::CheckRank(c, input, name, 0, "be a scalar");
}

// Requires rank 1.
inline ReturnedStatus CheckVector(const TensorShape& shape, std::string_view name) {
  return internal::CheckRank(shape, name, 1, "be a vector");
}
inline ReturnedStatus CheckVector(shape_inference::InferenceContext* c, int input, std::string_view name) {
  return internal::CheckRank(c, input, name, 1, "be a vector");
}

// Requires rank 2.
inline ReturnedStatus CheckMatrix(const TensorShape& shape, std::string_view name) {
  return internal::CheckRank(shape, name, 2, "be a matrix");
}

// Requires at least `rank` dimensions.
inline ReturnedStatus CheckRankAtLeast(const TensorShape& shape, std::string_view name, int rank) {
  if (shape.dims() >= rank) return {};
  return internal::WrongShape(name, "have at least " + std::to_string(rank) + " dimensions", shape.DebugString());
}

// Requires exactly these dimensions. `of` names the tensor that has them, such as another input: "values must have the
// shape of keys, which is [2], but its shape is [3]".
inline ReturnedStatus CheckShape(const TensorShape& shape, std::string_view name, const TensorShape& expected,
                                 std::string_view of = "") {
  if (shape == expected) return {};
  return internal::WrongShape(name, internal::OfShape(of, expected.DebugString()), shape.DebugString());
}
OPSRUN_COLD inline ReturnedStatus CheckShape(shape_inference::InferenceContext* c, int input, std::string_view name,
                                             shape_inference::ShapeHandle expected, std::string_view of = "") {
  shape_inference::ShapeHandle merged;
  if (c->Merge(expected, c->input(input), &merged).ok()) return {};
  return internal::WrongShape(name, internal::OfShape(of, c->DebugString(expected)), c->DebugString(c->input(input)));
}

}  // namespace OPSRUN_HIDDEN
