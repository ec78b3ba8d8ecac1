// plugins/math_ops/unary.h: kernels that compute each element of their output from one element of their input.
//
// How functions are written: element_loops.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "element_loops.h"
#include "isa_simple_loops.h"
#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"

namespace math_ops {

class UnaryKernel : public opsrun::OpKernel {
 public:
  // `picoseconds`: the approximate time for one element.
  UnaryKernel(opsrun::OpKernelConstruction* context, UnaryLoop loop, int64 picoseconds)
      : OpKernel(context), loop_(loop), picoseconds_(picoseconds) {}
  void Compute(opsrun::OpKernelContext* context) override;

 private:
  const UnaryLoop loop_;
  const int64 picoseconds_;
};

// The kernel of an op for all types of a list.
template <typename Function, typename Types>
class UnaryOp : public UnaryKernel {
 public:
  explicit UnaryOp(opsrun::OpKernelConstruction* context)
      : UnaryKernel(context, FastestLoop<UnaryLoops, Function>(context->input_type(0), Types()), 1000) {}
};

}  // namespace math_ops

// REGISTER_UNARY_OP("Neg", "half, float").Gradient(..).Doc(..): an op with one input x and one output y of type T.
#define REGISTER_UNARY_OP(name, types) \
  REGISTER_OP(name)                    \
      .Input("x: T")                   \
      .Output("y: T")                  \
      .Attr("T: {" types "}")          \
      .SetShapeFn(opsrun::shape_inference::UnchangedShape)

#define REGISTER_UNARY_KERNEL(name, ...) \
  REGISTER_KERNEL_BUILDER(Name(name).Device(opsrun::DEVICE_CPU), UnaryOp<__VA_ARGS__>)
