// plugins/math_ops/power_ops.cc: Pow and Atan2.
// SPDX-License-Identifier: Apache-2.0
#include "elementwise.h"
#include "isa_kernels.h"

namespace math_ops {

template <BinaryFunction TranscendentalLoops::*kFunction>
struct TranscendentalBinaryLoops {
  template <typename T>
  static int64 Run(Walk walk, const void* xs, const void* ys, void* out, int64 n) {
    if constexpr (!std::is_same_v<T, Wide<T>>) {
      return RunConverted<T, T>(&Run<float>, walk, xs, ys, out, n);
    } else {
      constexpr int64 kBlock = 1024;
      const T *x = static_cast<const T*>(xs), *y = static_cast<const T*>(ys);
      T copies[kBlock];  // of the operand that does not advance
      if (walk != Walk::kBoth) std::fill_n(copies, std::min(kBlock, n), walk == Walk::kX ? *y : *x);
      for (int64 begin = 0; begin < n; begin += kBlock) {
        (Loops().*kFunction)
            .template For<T>()(walk == Walk::kY ? copies : x + begin, walk == Walk::kX ? copies : y + begin,
                               static_cast<T*>(out) + begin, std::min(kBlock, n - begin));
      }
      return n;
    }
  }
};

namespace {

// For integers and complex numbers.
struct Power {
  static constexpr const char* kProblem = "y is negative, and integers have no negative powers,";
  template <typename T>
  static bool Defined(T, T y) {
    return !(y < 0);
  }
  template <typename T>
  T operator()(T x, T y) const {
    if constexpr (kIsComplex<T>) {
      return y == T(2) ? Mul()(x, x) : std::pow(x, y);
    } else {
      T power = 1;
      for (; y > 0; y = static_cast<T>(y >> 1), x = Mul()(x, x)) {
        if (y & 1) power = Mul()(power, x);
      }
      return power;
    }
  }
};

struct PowLoops {
  template <typename T>
  static int64 Run(Walk walk, const void* x, const void* y, void* out, int64 n) {
    if constexpr (std::is_integral_v<T> || kIsComplex<T>) {
      return BinaryLoops<Power>::RunOn<T>(walk, x, y, out, n);
    } else {
      return TranscendentalBinaryLoops<&TranscendentalLoops::pow>::Run<T>(walk, x, y, out, n);
    }
  }
};

class PowOp : public BinaryKernel {
 public:
  explicit PowOp(OpKernelConstruction* context)
      : BinaryKernel(context, LoopFor<PowLoops>(context->input_type(0), SignedNumbers()), Power::kProblem, 10000) {}
};

// Where log(x) is undefined, for 0 and negative numbers, the gradient of y uses log(1).
REGISTER_BINARY_OP("Pow", MATH_OPS_SIGNED_NUMBERS)
    .Gradient(R"yaml(
feeds:
  zero: {value: 0, dtype: {attr: T}}
  one: {value: 1, dtype: {attr: T}}
nodes:
  less: {op: Sub, in: [y, one]}
  lower_power: {op: Pow, in: [x, less]}
  conj_y: {op: Conj, in: y}
  times_y: {op: Mul, in: [grad.z, conj_y]}
  conj_power: {op: Conj, in: lower_power}
  gx: {op: Mul, in: [times_y, conj_power]}
  any_log: {op: Log, in: x}
  is_zero: {op: Equal, in: [x, zero]}
  is_negative: {op: IsNan, in: any_log}
  has_no_log: {op: LogicalOr, in: [is_zero, is_negative]}
  base: {op: SelectV2, in: [has_no_log, one, x]}
  log: {op: Log, in: base}
  conj_z: {op: Conj, in: z}
  times_z: {op: Mul, in: [grad.z, conj_z]}
  conj_log: {op: Conj, in: log}
  gy: {op: Mul, in: [times_z, conj_log]}
)yaml" SUM_BACK("gx", "gy"))
    .Doc(R"doc(
Computes x to the power of y for each element, with broadcasting.

Integers wrap on overflow. An integer to a negative power is an error. float16 and bfloat16 are computed as float32 and
rounded once.

x: The bases, of any shape.
y: The exponents, of a shape that can be broadcast with x's.
z: The powers. A negative float to a power that is not an integer is NaN.
)doc");

REGISTER_KERNEL_BUILDER(Name("Pow").Device(DEVICE_CPU), PowOp)

class Atan2Op : public BinaryKernel {
 public:
  explicit Atan2Op(OpKernelConstruction* context)
      : BinaryKernel(context,
                     LoopFor<TranscendentalBinaryLoops<&TranscendentalLoops::atan2>>(context->input_type(0), Floats()),
                     nullptr, 4000) {}
};

// x / (x^2 + y^2) and -y / (x^2 + y^2), computed from the quotient of the smaller and the larger of x and y, because
// the squares could overflow or underflow: `length` is (x^2 + y^2) / larger. At (0, 0) the gradient is NaN, unless the
// incoming gradient is 0; then it is 0.
REGISTER_OP("Atan2")
    .Input("y: T")
    .Input("x: T")
    .Output("z: T")
    .Attr("T: {" MATH_OPS_FLOATS "}")
    .Broadcasts("(),()->()")
    .SetShapeFn(shape_inference::BroadcastBinaryOpShapeFn)
    .Gradient(R"yaml(
feeds:
  zero: {value: 0, dtype: {attr: T}}
  one: {value: 1, dtype: {attr: T}}
nodes:
  up: {op: Abs, in: y}
  along: {op: Abs, in: x}
  is_steep: {op: Greater, in: [up, along]}
  larger: {op: SelectV2, in: [is_steep, y, x]}
  smaller: {op: SelectV2, in: [is_steep, x, y]}
  any_ratio: {op: RealDiv, in: [smaller, larger]}
  is_zero: {op: Equal, in: [grad.z, zero]}
  ratio: {op: SelectV2, in: [is_zero, zero, any_ratio]}
  part: {op: Mul, in: [smaller, ratio]}
  any_length: {op: Add, in: [larger, part]}
  length: {op: SelectV2, in: [is_zero, one, any_length]}
  by_larger: {op: RealDiv, in: [grad.z, length]}
  by_smaller: {op: Mul, in: [by_larger, ratio]}
  gy: {op: SelectV2, in: [is_steep, by_smaller, by_larger]}
  minus_gx: {op: SelectV2, in: [is_steep, by_larger, by_smaller]}
  gx: {op: Neg, in: minus_gx}
)yaml" SUM_BACK("gx", "gy"))
    .Doc(R"doc(
Computes the angle of the point (x, y) for each element, with broadcasting: the arc tangent of y / x in its quadrant.

float16 and bfloat16 are computed as float32 and rounded once.

y: The second coordinates, of any shape.
x: The first coordinates, of a shape that can be broadcast with y's.
z: The angles in radians, from -pi to pi, with the sign of y. Signs of zeros count: of y = 0 and x = -0, it is pi.
)doc");

REGISTER_KERNEL_BUILDER(Name("Atan2").Device(DEVICE_CPU).Elementwise().Tiled(), Atan2Op)

}  // namespace
}  // namespace math_ops
