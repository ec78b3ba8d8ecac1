// plugins/math_ops/pow_op.cc: Pow.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <complex>

#include "arithmetic.h"
#include "binary.h"
#include "unary_loops.h"

namespace math_ops {
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

// For floats: blocks of operands in the type that Loops() has.
struct FloatPower {
  static constexpr int64 kBlock = 1024;

  static void Call(const float* x, const float* y, float* out, int64 n) { Loops().pow.f32(x, y, out, n); }
  static void Call(const double* x, const double* y, double* out, int64 n) { Loops().pow.f64(x, y, out, n); }

  // The elements, where they are or in a block as what they are computed in.
  template <typename T>
  static const Wide<T>* Read(const T* from, bool walks, int64 begin, int64 n, Wide<T>* block) {
    if constexpr (std::is_same_v<T, Wide<T>>) {
      if (walks) return from + begin;
    }
    for (int64 i = 0; i < n; ++i) block[i] = static_cast<Wide<T>>(from[walks ? begin + i : 0]);
    return block;
  }

  template <typename T>
  static int64 Run(Walk walk, const void* xs, const void* ys, void* outs, int64 n) {
    Wide<T> x_block[kBlock], y_block[kBlock], powers[kBlock];
    T* const out = static_cast<T*>(outs);
    for (int64 begin = 0; begin < n; begin += kBlock) {
      const int64 size = std::min(kBlock, n - begin);
      const Wide<T>* const x = Read(static_cast<const T*>(xs), walk != Walk::kY, begin, size, x_block);
      const Wide<T>* const y = Read(static_cast<const T*>(ys), walk != Walk::kX, begin, size, y_block);
      if constexpr (std::is_same_v<T, Wide<T>>) {
        Call(x, y, out + begin, size);
      } else {
        Call(x, y, powers, size);
        for (int64 i = 0; i < size; ++i) out[begin + i] = static_cast<T>(powers[i]);
      }
    }
    return n;
  }
};

struct PowLoops {
  template <typename T>
  static BinaryLoop For() {
    if constexpr (std::is_integral_v<T> || kIsComplex<T>) {
      return &BinaryLoops<Power>::RunOn<T>;
    } else {
      return &FloatPower::Run<T>;
    }
  }
};

typedef Join<Join<Floats, SignedInts>, Complexes> PowTypes;

class PowOp : public BinaryKernel {
 public:
  explicit PowOp(opsrun::OpKernelConstruction* context)
      : BinaryKernel(context, LoopFor<PowLoops>(context->input_type(0), PowTypes()), Power::kProblem, 10000) {}
};

// Where x has no logarithm, as 0 and negative numbers, that of 1 stands in the gradient of y.
REGISTER_BINARY_OP("Pow", MATH_OPS_FLOATS ", " MATH_OPS_SIGNED_INTS ", " MATH_OPS_COMPLEXES)
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

REGISTER_KERNEL_BUILDER(Name("Pow").Device(opsrun::DEVICE_CPU), PowOp)

}  // namespace
}  // namespace math_ops
