// host/embed/calls.h: conversion of tensors before and after a call. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "host/base/diagnostic.h"
#include "host/base/status.h"
#include "host/engine/callable_plan.h"
#include "opsrun/embed.h"

namespace opsrun::host {

// An array that is stored inline if it has few elements, as in most calls.
template <typename T, size_t kInline>
class FewOf {
 public:
  explicit FewOf(size_t n) : n_(n) {
    if (n > kInline) more_ = std::make_unique<T[]>(n);
  }
  std::span<T> all() { return {more_ ? more_.get() : few_, n_}; }

 private:
  const size_t n_;
  T few_[kInline];
  std::unique_ptr<T[]> more_;
};

// Checks that this can be an array on the CPU, and counts its elements; otherwise INVALID_ARGUMENT.
Status CheckType(DType dtype, int32_t rank, const int64_t* shape, std::optional<int64_t>* elements);

// Adds F305: the input is not a tensor, or cannot be converted to one.
void ReportInput(const std::string& name, const Status& status, Diagnostics& diagnostics);

// The tensor for a plan: the caller's memory if it is dense, row-major and aligned for its elements, otherwise a copy,
// which is stored in *copy. INVALID_ARGUMENT if it is not a tensor on the CPU.
Status ReadTensor(const opsrun_in& in, TensorRef* ref, Tensor* copy);

// Fast path for a dense array of the right type, without a copy: ten times as fast. False if ReadTensor is needed.
bool ReadPlain(const opsrun_in& in, const FeedType& type, TensorRef* ref);

// Call this before the run. INVALID_ARGUMENT if the output does not fit `into`.
Status PlaceResult(const opsrun_out& out, CallOutput* output);
// Call this after the run. Moves *output to *out.
Status GiveResult(CallOutput& output, opsrun_out* out);

}  // namespace opsrun::host
