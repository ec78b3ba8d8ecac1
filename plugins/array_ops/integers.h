// plugins/array_ops/integers.h: axes, sizes and positions that int32 or int64 tensors hold.
//
// `name` is the input that holds them, which gets the blame.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "opsrun/shape_inference.h"
#include "opsrun/status.h"
#include "opsrun/tensor.h"

namespace array_ops {

using opsrun::int64;

// INVALID_ARGUMENT that blames an input.
template <typename... Pieces>
opsrun::Status Wrong(const std::string& name, const Pieces&... pieces) {
  return opsrun::errors::InvalidArgument(pieces...).Blame("input:" + name);
}

// All elements of an int32 or int64 tensor, of any rank.
std::vector<int64> Integers(const opsrun::Tensor& tensor);

opsrun::Status ReadScalar(const opsrun::Tensor& tensor, const char* name, int64* value);
opsrun::Status ReadVector(const opsrun::Tensor& tensor, const char* name, std::vector<int64>* values);
// A vector of sizes, none of which is negative.
opsrun::Status ReadShape(const opsrun::Tensor& tensor, const char* name, opsrun::TensorShape* shape);

// *resolved is in [0, rank); a negative axis counts from the end. `what` is whose rank it is.
opsrun::Status ResolveAxis(int64 axis, int64 rank, const char* name, const char* what, int64* resolved);

// In shape functions: input i must be a scalar, or a vector.
opsrun::Status CheckScalar(opsrun::shape_inference::InferenceContext* c, int i, const char* name);
opsrun::Status CheckVector(opsrun::shape_inference::InferenceContext* c, int i, const char* name);

// The shape of unknown sizes and known rank, which may be unknown too (-1).
opsrun::Status SetUnknownOfRank(opsrun::shape_inference::InferenceContext* c, int rank);

}  // namespace array_ops
