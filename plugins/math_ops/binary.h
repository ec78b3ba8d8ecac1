// plugins/math_ops/binary.h: kernels that compute each element of their output from two elements, with broadcasting.
//
// A function is a struct with `template <typename T> R operator()(T x, T y) const`, where T is Wide of the element
// type. A function that is not defined everywhere also has a kProblem, what is wrong where it is not, and
// `template <typename T> static bool Defined(T x, T y)`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"
#include "types.h"

namespace math_ops {

// Which of the two operands walks along with the output.
enum class Walk { kBoth, kX, kY };

// out[i] = f(x[i], y[i]) for i in [0, n), where an operand that does not walk is a single element. `out` may be an
// operand that walks. Returns the index of the first element at which f is not defined, or n.
typedef int64 (*BinaryLoop)(Walk walk, const void* x, const void* y, void* out, int64 n);

class BinaryKernel : public opsrun::OpKernel {
 public:
  // `problem`: what is wrong with an element at which the function is not defined. `picoseconds`: the approximate time
  // for one element.
  BinaryKernel(opsrun::OpKernelConstruction* context, BinaryLoop loop, const char* problem, int64 picoseconds)
      : OpKernel(context), loop_(loop), problem_(problem), picoseconds_(picoseconds) {}
  void Compute(opsrun::OpKernelContext* context) override;

 private:
  const BinaryLoop loop_;
  const char* const problem_;
  const int64 picoseconds_;
};

template <typename Function, typename = void>
struct ProblemOf {
  static constexpr const char* kText = nullptr;
};
template <typename Function>
struct ProblemOf<Function, std::void_t<decltype(Function::kProblem)>> {
  static constexpr const char* kText = Function::kProblem;
};

template <typename Function>
struct BinaryLoops {
  template <typename T, typename R>
  static R Apply(T x, T y) {
    return static_cast<R>(Function()(static_cast<Wide<T>>(x), static_cast<Wide<T>>(y)));
  }

  // x and y: functions of an index.
  template <typename T, typename R, typename X, typename Y>
  static int64 Run(const X& x, const Y& y, R* out, int64 n) {
    if constexpr (ProblemOf<Function>::kText != nullptr && std::is_integral_v<T>) {
      for (int64 i = 0; i < n; ++i) {
        if (!Function::Defined(x(i), y(i))) return i;
        out[i] = Apply<T, R>(x(i), y(i));
      }
    } else {
      MATH_OPS_INDEPENDENT
      for (int64 i = 0; i < n; ++i) out[i] = Apply<T, R>(x(i), y(i));
    }
    return n;
  }

  template <typename T>
  static int64 RunOn(Walk walk, const void* xs, const void* ys, void* outs, int64 n) {
    typedef Element<T, decltype(Function()(Wide<T>(), Wide<T>()))> R;
    const T* const x = static_cast<const T*>(xs);
    const T* const y = static_cast<const T*>(ys);
    R* const out = static_cast<R*>(outs);
    if (walk == Walk::kBoth) return Run<T>([x](int64 i) { return x[i]; }, [y](int64 i) { return y[i]; }, out, n);
    const T first_x = *x, first_y = *y;
    const auto only_x = [first_x](int64) { return first_x; };
    const auto only_y = [first_y](int64) { return first_y; };
    if (walk == Walk::kX) return Run<T>([x](int64 i) { return x[i]; }, only_y, out, n);
    return Run<T>(
        only_x, [y](int64 i) { return y[i]; }, out, n);
  }

  template <typename T>
  static BinaryLoop For() {
    return &RunOn<LoopType<Function, T>>;
  }
};

// The kernel of an op for all types of a list.
template <typename Function, typename Types>
class BinaryOp : public BinaryKernel {
 public:
  explicit BinaryOp(opsrun::OpKernelConstruction* context)
      : BinaryKernel(context, LoopFor<BinaryLoops<Function>>(context->input_type(0), Types()),
                     ProblemOf<Function>::kText, 1000) {}
};

}  // namespace math_ops

// REGISTER_BINARY_OP("Add", "half, float").Gradient(..).Doc(..): an op with inputs x and y of type T and one output z
// of the given type.
#define REGISTER_BINARY_OP_TO(name, types, out) \
  REGISTER_OP(name)                             \
      .Input("x: T")                            \
      .Input("y: T")                            \
      .Output("z: " out)                        \
      .Attr("T: {" types "}")                   \
      .SetShapeFn(opsrun::shape_inference::BroadcastBinaryOpShapeFn)
#define REGISTER_BINARY_OP(name, types) REGISTER_BINARY_OP_TO(name, types, "T")

#define REGISTER_BINARY_KERNEL(name, ...) \
  REGISTER_KERNEL_BUILDER(Name(name).Device(opsrun::DEVICE_CPU), BinaryOp<__VA_ARGS__>)

// The end of the text of a gradient: the tensors gx and gy, which have the shape of the output, are summed back to the
// shapes of x and y, which were broadcast.
#define SUM_BACK(gx, gy)            \
  "  x_shape: {op: Shape, in: x}\n" \
  "  y_shape: {op: Shape, in: y}\n" \
  "  dx: {op: SumToShape, in: [" gx \
  ", x_shape]}\n"                   \
  "  dy: {op: SumToShape, in: [" gy \
  ", y_shape]}\n"                   \
  "outputs: {x: dx, y: dy}\n"
