// plugins/math_ops/unary.h: kernels that compute each element of their output from one element of their input.
//
// A function is a struct with `template <typename T> R operator()(T x) const`, where T is Wide of the element type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"
#include "types.h"

namespace math_ops {

// out[i] = f(in[i]) for i in [0, n). `out` may be `in`.
typedef void (*UnaryLoop)(const void* in, void* out, int64 n);

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

template <typename Function>
struct UnaryLoops {
  template <typename T>
  static void Run(const void* in, void* out, int64 n) {
    typedef decltype(Function()(Wide<T>())) Result;
    const T* const from = static_cast<const T*>(in);
    auto* const to = static_cast<Element<T, Result>*>(out);
    MATH_OPS_INDEPENDENT
    for (int64 i = 0; i < n; ++i) {
      to[i] = static_cast<Element<T, Result>>(Function()(static_cast<Wide<T>>(from[i])));
    }
  }
  template <typename T>
  static UnaryLoop For() {
    return &Run<LoopType<Function, T>>;
  }
};

// The kernel of an op for all types of a list.
template <typename Function, typename Types>
class UnaryOp : public UnaryKernel {
 public:
  explicit UnaryOp(opsrun::OpKernelConstruction* context)
      : UnaryKernel(context, LoopFor<UnaryLoops<Function>>(context->input_type(0), Types()), 1000) {}
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
