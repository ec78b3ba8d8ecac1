// plugins/math_ops/unary.h: kernels that compute each element of their output from one element of their input.
//
// How functions are written: element_loops.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <limits>

#include "element_loops.h"
#include "isa_simple_loops.h"
#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"
#include "types.h"

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

// The beginning of the text of the gradient of y = f(x), where the slope is made of y and may be infinite, as at 0:
// where no gradient comes in, none goes out, since `finite` is 1 there, and y elsewhere. `factor` is a tensor, too.
#define Y_WHERE_A_GRADIENT_COMES_IN(number)      \
  "feeds:\n"                                     \
  "  factor: {value: " number                    \
  ", dtype: {attr: T}}\n"                        \
  "  zero: {value: 0, dtype: {attr: T}}\n"       \
  "  one: {value: 1, dtype: {attr: T}}\n"        \
  "nodes:\n"                                     \
  "  is_zero: {op: Equal, in: [grad.y, zero]}\n" \
  "  finite: {op: SelectV2, in: [is_zero, one, y]}\n"

// The end of the text of the gradient of y = f(x), where the tensor `slope` is f'(x).
#define TIMES_SLOPE(slope)                      \
  "  conj_slope: {op: Conj, in: " slope         \
  "}\n"                                         \
  "  dx: {op: Mul, in: [grad.y, conj_slope]}\n" \
  "outputs: {x: dx}\n"

#define REGISTER_UNARY_KERNEL(name, ...) \
  REGISTER_KERNEL_BUILDER(Name(name).Device(opsrun::DEVICE_CPU), UnaryOp<__VA_ARGS__>)

namespace math_ops {

// Comparisons, rounding, and what a float is.

#define COMPARISON(Name, expression)            \
  struct Name {                                 \
    template <typename T>                       \
    constexpr bool operator()(T x, T y) const { \
      return expression;                        \
    }                                           \
  };
COMPARISON(Less, x < y)
COMPARISON(LessEqual, x <= y)
COMPARISON(Greater, x > y)
COMPARISON(GreaterEqual, x >= y)
#undef COMPARISON
struct Equal {
  static constexpr bool kIgnoresSign = true;
  template <typename T>
  constexpr bool operator()(T x, T y) const {
    return x == y;
  }
};
struct NotEqual {
  static constexpr bool kIgnoresSign = true;
  template <typename T>
  constexpr bool operator()(T x, T y) const {
    return x != y;
  }
};

// Of bools, which are bytes of 0 or 1.
struct And {
  constexpr uint8_t operator()(uint8_t x, uint8_t y) const { return x & y; }
};
struct Or {
  constexpr uint8_t operator()(uint8_t x, uint8_t y) const { return x | y; }
};

// Rounding is an instruction or, as on x86 before SSE4.1, a function call.
#if defined(__SSE4_1__) || defined(__aarch64__)
constexpr float ToNearest(float x) {
  return __builtin_rintf(x);
}
constexpr double ToNearest(double x) {
  return __builtin_rint(x);
}
#else
// Adding 2^(bits of the fraction) drops what is behind the point, by rounding half to even. Numbers that large have no
// fraction.
template <typename T>
constexpr T ToNearest(T x) {
  constexpr T kLarge = std::is_same_v<T, float> ? T(0x1p23) : T(0x1p52);
  const T magnitude = std::abs(x);
  const T rounded = (magnitude + kLarge) - kLarge;
  return std::copysign(magnitude < kLarge ? rounded : magnitude, x);
}
#endif

struct Round {
  template <typename T>
  constexpr T operator()(T x) const {
    if constexpr (std::is_floating_point_v<T>) {
      return ToNearest(x);
    } else if constexpr (kIsComplex<T>) {
      return T(ToNearest(x.real()), ToNearest(x.imag()));
    } else {
      return x;
    }
  }
};
struct Floor {
  template <typename T>
  constexpr T operator()(T x) const {
    const T rounded = ToNearest(x), less = rounded > x ? T(1) : T(0);
    return std::copysign(rounded - less, x);
  }
};
struct Ceil {
  template <typename T>
  constexpr T operator()(T x) const {
    const T rounded = ToNearest(x), more = rounded < x ? T(1) : T(0);
    return std::copysign(rounded + more, x);
  }
};

// The difference of a number and itself is 0 if it is finite, and otherwise NaN.
struct IsFinite {
  template <typename T>
  constexpr bool operator()(T x) const {
    return x - x == T(0);
  }
};
struct IsNan {
  template <typename T>
  constexpr bool operator()(T x) const {
    return x != x;
  }
};
struct IsInf {
  template <typename T>
  constexpr bool operator()(T x) const {
    if constexpr (kIsComplex<T>)
      return (*this)(x.real()) || (*this)(x.imag());
    else
      return std::abs(x) == std::numeric_limits<T>::infinity();
  }
};

// Without squares that are too large or too small for the type.
struct ComplexAbs {
  template <typename T>
  auto operator()(T x) const {
    typedef typename T::value_type Part;
    constexpr Part kInfinity = std::numeric_limits<Part>::infinity();
    const Part re = std::abs(x.real()), im = std::abs(x.imag());
    const Part large = re > im ? re : im, small = re > im ? im : re;  // both parts, also if one is NaN
    const Part ratio = large == Part(0) ? small : small / large;
    const Part length = large * std::sqrt(ratio * ratio + Part(1));
    return re == kInfinity || im == kInfinity ? kInfinity : length;  // even if the other part is NaN
  }
};

}  // namespace math_ops
