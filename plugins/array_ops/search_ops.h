// plugins/array_ops/search_ops.h: what Unique and InvertPermutation share on any device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "indices.h"
#include "opsrun/op_kernel.h"

namespace array_ops {

// Unique. kFind writes both outputs; *idx is already allocated.
template <typename Index, Status (*kFind)(OpKernelContext*, Tensor* idx)>
Status ComputeUnique(OpKernelContext* context) {
  const Tensor& x = context->input(0);
  TF_RETURN_IF_ERROR(CheckVector(x.shape(), "x"));
  if (x.NumElements() > std::numeric_limits<Index>::max()) {
    return errors::InvalidArgument("x has ", x.NumElements(),
                                   " elements, more than int32 can count; set out_idx: int64")
        .Blame("attr:out_idx");
  }
  Tensor* idx = nullptr;
  TF_RETURN_IF_ERROR(context->allocate_output(1, x.shape(), &idx));
  return kFind(context, idx);
}

// The errors for element i of a permutation of n numbers: it is out of range; it is already element `first`.
inline Status OutsidePermutation(const char* name, int64 i, int64 value, int64 n) {
  return Wrong(name, name, "[", i, "] is ", value, ", but must be between 0 and ", n - 1);
}
inline Status TwiceInPermutation(const char* name, int64 value, int64 first, int64 i) {
  return Wrong(name, name, " has ", value, " twice, at ", first, " and at ", i);
}

}  // namespace array_ops
