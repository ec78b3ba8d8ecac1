// plugins/math_ops/output.h: the output of a kernel, in the memory of an input where that is allowed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>

#include "opsrun/op_kernel.h"

namespace math_ops {

// Makes output 0: of the given inputs, the first that has its shape and its type and is not needed any more gives its
// memory. Otherwise, the output is allocated.
inline opsrun::Status MakeOutput(opsrun::OpKernelContext* context, std::initializer_list<int> inputs,
                                 const opsrun::TensorShape& shape, opsrun::Tensor** output) {
  for (const int i : inputs) {
    const opsrun::Tensor& input = context->input(i);
    if (input.dtype() != context->expected_output_dtype(0) || input.shape() != shape) continue;
    if (context->forward_input_to_output_with_shape(i, 0, shape, output)) return opsrun::Status::OK();
  }
  return context->allocate_output(0, shape, output);
}

}  // namespace math_ops
