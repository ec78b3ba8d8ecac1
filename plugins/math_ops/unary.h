// plugins/math_ops/unary.h: kernels that compute each element of their output from one element of their input.
//
// element_loops.h describes how to write a function.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "isa_simple_loops.h"
#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"

namespace math_ops {

class UnaryKernel : public OpKernel {
 public:
  // `picoseconds`: the approximate time per element.
  UnaryKernel(OpKernelConstruction* context, UnaryLoop loop, int64 picoseconds)
      : OpKernel(context), loop_(loop), picoseconds_(picoseconds) {}
  void Compute(OpKernelContext* context) override;

 private:
  const UnaryLoop loop_;
  const int64 picoseconds_;
};

// The kernel of an op for all types of a list, and types that are compared as they are.
template <typename Function, typename Types, int64 kPicoseconds = 1000>
class UnaryOp : public UnaryKernel {
 public:
  explicit UnaryOp(OpKernelConstruction* context)
      : UnaryKernel(context, FastestLoop<UnaryLoops, Function>(ComparedAs(context->input_type(0)), Types()),
                    kPicoseconds) {}
};

// REGISTER_UNARY_OP("Neg", "half, float").Gradient(..).Doc(..): an op with one input x and one output y of type T.
#define REGISTER_UNARY_OP(name, types) \
  REGISTER_OP(name).Input("x: T").Output("y: T").Attr("T: {" types "}").SetShapeFn(shape_inference::UnchangedShape)

#define REGISTER_UNARY_KERNEL(name, ...) REGISTER_KERNEL_BUILDER(Name(name).Device(DEVICE_CPU), UnaryOp<__VA_ARGS__>)

// A gradient of y = f(x): lines of YAML that compute the tensor `slope`, f'(x), after nodes or feeds.
#define TIMES_SLOPE(lines, slope)                     \
  lines "  conj_slope: {op: Conj, in: " slope         \
        "}\n"                                         \
        "  dx: {op: Mul, in: [grad.y, conj_slope]}\n" \
        "outputs: {x: dx}\n"
#define SLOPE(lines) TIMES_SLOPE("nodes:\n" lines, "slope")
#define SLOPE_WITH_ONE(lines) "feeds:\n  one: {value: 1, dtype: {attr: T}}\n" SLOPE(lines)
// The slope is computed from y and may be infinite, as at 0. `finite` is 1 where the incoming gradient is 0, so that
// the result is 0 there, and y elsewhere. `factor` is a tensor, too.
#define SLOPE_OF_FINITE(number, lines)               \
  "feeds:\n"                                         \
  "  factor: {value: " number                        \
  ", dtype: {attr: T}}\n"                            \
  "  zero: {value: 0, dtype: {attr: T}}\n"           \
  "  one: {value: 1, dtype: {attr: T}}\n" SLOPE(     \
      "  is_zero: {op: Equal, in: [grad.y, zero]}\n" \
      "  finite: {op: SelectV2, in: [is_zero, one, y]}\n" lines)

}  // namespace math_ops
