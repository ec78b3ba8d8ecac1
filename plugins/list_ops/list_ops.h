// plugins/list_ops/list_ops.h: sums and identities of lists, and tensors packed and unpacked.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rows.h"

namespace list_ops {

// Allocates the sum, in the memory of the first input that has no other reader if there is one.
inline opsrun::Status MakeSum(opsrun::OpKernelContext* context, opsrun::Tensor** sum) {
  const opsrun::TensorShape shape = context->input(0).shape();
  for (int i = 0; i < context->num_inputs(); ++i) {
    if (context->forward_input_to_output_with_shape(i, 0, shape, sum)) return opsrun::Status::OK();
  }
  return context->allocate_output(0, shape, sum);
}

// [kernel]
template <typename T, typename Add>
class AddNOp : public opsrun::OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(opsrun::OpKernelContext* context) override {
    OP_REQUIRES_OK(context, CheckOneShape(context, "inputs"));
    std::vector<const T*> terms;
    for (int i = 0; i < context->num_inputs(); ++i) terms.push_back(context->input(i).flat<T>().data());
    opsrun::Tensor* sum = nullptr;
    OP_REQUIRES_OK(context, MakeSum(context, &sum));
    OP_REQUIRES_OK(context, Add::Run(context, terms, sum->flat<T>().data(), sum->NumElements()));
  }
};
// [/kernel]

}  // namespace list_ops
