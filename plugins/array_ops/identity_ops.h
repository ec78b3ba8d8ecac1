// plugins/array_ops/identity_ops.h: the kernel of Identity and StopGradient, for any device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/float8.h"
#include "opsrun/register_types.h"
#include "view.h"

namespace array_ops {

// Output 0 is input 0.
inline void PassOn(opsrun::OpKernelContext* context) {
  const opsrun::Tensor& input = context->input(0);
  opsrun::Tensor* output = nullptr;
  if (!context->forward_input_to_output_with_shape(0, 0, input.shape(), &output)) context->set_output(0, input);
}

class IdentityOp : public opsrun::OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(opsrun::OpKernelContext* context) override { PassOn(context); }
};

}  // namespace array_ops

// The kernels of ZerosLike and OnesLike, for any device.

// m(type) for each type that has a 1.
#define ONES_LIKE_CALL_TYPES(m)                                                                            \
  TF_CALL_POD_TYPES(m)                                                                                     \
  TF_CALL_float8_e5m2(m) TF_CALL_float8_e4m3fn(m) TF_CALL_float8_e4m3fnuz(m) TF_CALL_float8_e4m3b11fnuz(m) \
      TF_CALL_float8_e5m2fnuz(m)

namespace array_ops {

template <typename Moves>
class ZerosLikeOp : public opsrun::OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(opsrun::OpKernelContext* context) override {
    opsrun::Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->forward_input_or_allocate_output({0}, 0, context->input(0).shape(), &output));
    OP_REQUIRES_OK(context, Moves::FillWithZeros(context, output));
  }
};

// The bytes of the number 1 of a type.
Bytes16 OneOf(opsrun::DataType type);

template <typename Moves>
class OnesLikeOp : public opsrun::OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(opsrun::OpKernelContext* context) override {
    opsrun::Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->forward_input_or_allocate_output({0}, 0, context->input(0).shape(), &output));
    OP_REQUIRES_OK(context, Moves::FillWithBytes(context, OneOf(output->dtype()), output));
  }
};

}  // namespace array_ops
