// plugins/math_ops/elementwise.h: kernels that compute each element of their output from one element of their input, or
// from two with broadcasting.
//
// simple_loops.h describes how to write a function.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "broadcast.h"
#include "opsrun/common_shape_fns.h"
#include "opsrun/elements.h"
#include "opsrun/op.h"
#include "simple_loops.h"

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
  REGISTER_OP(name)                    \
      .Input("x: T")                   \
      .Output("y: T")                  \
      .Attr("T: {" types "}")          \
      .Broadcasts("()->()")            \
      .SetShapeFn(shape_inference::UnchangedShape)

#define REGISTER_UNARY_KERNEL(name, ...) \
  REGISTER_KERNEL_BUILDER(Name(name).Device(DEVICE_CPU).Elementwise().Tiled(), UnaryOp<__VA_ARGS__>)

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

class BinaryKernel : public OpKernel {
 public:
  // `problem`: the error message for elements at which the function is undefined. `picoseconds`: the approximate time
  // per element.
  BinaryKernel(OpKernelConstruction* context, BinaryLoop loop, const char* problem, int64 picoseconds)
      : OpKernel(context), loop_(loop), problem_(problem), picoseconds_(picoseconds) {}
  void Compute(OpKernelContext* context) override;

 protected:
  // Computes the output. Its shape has as many elements as the broadcast of inputs 0 and 1, or of their reshaped forms.
  void ComputeBroadcast(OpKernelContext* context, const Broadcast& broadcast, const TensorShape& shape);

 private:
  void ComputeSimple(OpKernelContext* context, Walk walk);

  const BinaryLoop loop_;
  const char* const problem_;
  const int64 picoseconds_;
};

// The kernel of an op for all types of a list, and types that are compared as they are.
template <typename Function, typename Types, int64 kPicoseconds = 1000>
class BinaryOp : public BinaryKernel {
 public:
  explicit BinaryOp(OpKernelConstruction* context)
      : BinaryKernel(context, FastestLoop<BinaryLoops, Function>(ComparedAs(context->input_type(0)), Types()),
                     ProblemOf<Function>::kText, kPicoseconds) {}
};

template <shape_inference::ElementFunction kFunction>
Status CombinedShape(shape_inference::InferenceContext* c) {
  TF_RETURN_IF_ERROR(shape_inference::BroadcastBinaryOpShapeFn(c));
  shape_inference::CombineElements(c, kFunction);
  return Status::OK();
}

// REGISTER_BINARY_OP("Add", "half, float").Gradient(..).Doc(..): an op with inputs x and y of type T and one output z
// of the given type.
#define REGISTER_BINARY_OP_WITH(shape_fn, name, types, out) \
  REGISTER_OP(name)                                         \
      .Input("x: T")                                        \
      .Input("y: T")                                        \
      .Output("z: " out)                                    \
      .Attr("T: {" types "}")                               \
      .Broadcasts("(),()->()")                              \
      .SetShapeFn(shape_fn)
#define REGISTER_BINARY_OP_TO(name, types, out) \
  REGISTER_BINARY_OP_WITH(shape_inference::BroadcastBinaryOpShapeFn, name, types, out)
#define REGISTER_BINARY_OP(name, types) REGISTER_BINARY_OP_TO(name, types, "T")
// Also propagates integers that are known before a run: of(c, x, y) is what is known of z.
#define REGISTER_ARITHMETIC_OP(name, types, of) \
  REGISTER_BINARY_OP_WITH(CombinedShape<shape_inference::of>, name, types, "T")

// For functions that are defined everywhere: messages would say where they are not.
#define REGISTER_BINARY_KERNEL(name, ...) \
  REGISTER_KERNEL_BUILDER(Name(name).Device(DEVICE_CPU).Elementwise().Tiled(), BinaryOp<__VA_ARGS__>)

// The end of a gradient: sums the tensors gx and gy, which have the shape of the output, back to the shapes of x and y,
// which were broadcast.
#define SUM_BACK(gx, gy)            \
  "  x_shape: {op: Shape, in: x}\n" \
  "  y_shape: {op: Shape, in: y}\n" \
  "  dx: {op: SumToShape, in: [" gx \
  ", x_shape]}\n"                   \
  "  dy: {op: SumToShape, in: [" gy \
  ", y_shape]}\n"                   \
  "outputs: {x: dx, y: dy}\n"

}  // namespace math_ops
