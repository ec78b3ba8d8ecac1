// host/embed/calls.h: tensors on their way into a call and out of it. Private to this room.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "host/base/status.h"
#include "host/engine/prepared_plan.h"
#include "opsrun/embed.h"

namespace opsrun::host {

// What calls have a handful of lies on the stack.
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

// What can be an array on the CPU, and how many elements it has; INVALID_ARGUMENT for what is none.
Status CheckType(DType dtype, int32_t rank, const int64_t* shape, std::optional<int64_t>* elements);

// The tensor as plans take it: the caller's memory itself, if it is dense, row-major and aligned as its elements are,
// else a copy, which lies in *copy. INVALID_ARGUMENT for what is no tensor on the CPU.
Status ReadTensor(const opsrun_in& in, TensorRef* ref, Tensor* copy);

// Before the call. INVALID_ARGUMENT if `into` cannot take the output.
Status PlaceResult(const opsrun_out& out, CallOutput* output);
// After it: hands what lies in *output over to *out.
Status GiveResult(CallOutput& output, opsrun_out* out);

}  // namespace opsrun::host
