// plugins/array_ops/random_numbers.h: random numbers, each a function of a seed and an index, and the kernel that draws
// them, on any device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "elements.h"
#include "indices.h"

#ifdef OPSRUN_GPU_CODE
#define ARRAY_OPS_INLINE inline __host__ __device__
#else  // into loops that are compiled for several instruction sets
#define ARRAY_OPS_INLINE inline __attribute__((always_inline))
#endif

namespace array_ops {

// Number k of a seed is a function of k and the seed alone: that of SplitMix64, as for random feeds
// (docs/graph_format.md). Floating-point operations are IEEE 754 basic operations; fma is written explicitly.

ARRAY_OPS_INLINE uint64_t RandomBits(uint64_t seed, uint64_t k) {
  uint64_t z = seed + (k + 1) * 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

// The upper `digits` bits, as many as the type has, as a number in [0, 1): the result is never rounded to 1.
ARRAY_OPS_INLINE double UniformFromBits(uint64_t bits, int digits) {
  const double scale = 1.0 / static_cast<double>(int64_t{1} << digits);  // a power of two, so products are exact
  return static_cast<double>(static_cast<int64_t>(bits >> (64 - digits))) * scale;
}

template <typename T>
inline constexpr int kDigits = sizeof(T) == 8 ? 53 : 24;
template <>
inline constexpr int kDigits<OPSRUN_HALF> = 11;
template <>
inline constexpr int kDigits<OPSRUN_BFLOAT16> = 8;

// Numbers are computed as double or float, and rounded to smaller types.
template <typename T>
using Drawn = std::conditional_t<sizeof(T) == 8, double, float>;

struct UniformNumbers {
  template <typename T>
  static ARRAY_OPS_INLINE T Of(uint64_t bits) {
    return static_cast<T>(static_cast<Drawn<T>>(UniformFromBits(bits, kDigits<T>)));
  }
};

constexpr int kTerms = 8;
typedef double Coefficients[kTerms];

ARRAY_OPS_INLINE double Polynomial(const Coefficients& coefficients, double x) {
  double sum = coefficients[kTerms - 1];
  for (int i = kTerms - 1; i-- > 0;) sum = std::fma(sum, x, coefficients[i]);
  return sum;
}

ARRAY_OPS_INLINE uint64_t BitsOf(double x) {
  uint64_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits;
}
ARRAY_OPS_INLINE double OfBits(uint64_t bits) {
  double x;
  std::memcpy(&x, &bits, sizeof(x));
  return x;
}
// Requires: the integer is below 2^52. Sets the last bits of the double 2^52 to it, then subtracts 2^52.
ARRAY_OPS_INLINE double ToDouble(uint64_t integer) {
  return OfBits(integer | 0x4330000000000000) - 0x1p52;
}

// log(2) times the exponent, plus the series of artanh for the rest. The C library's log is not the same everywhere.
ARRAY_OPS_INLINE double Log(double x) {
  constexpr double kHighLn2 = 0x1.62e42fefa39efp-1, kLowLn2 = 0x1.abc9e3b39803fp-56;
  constexpr double kSqrtHalf = 0x1.6a09e667f3bcdp-1;
  constexpr int kLogTerms = 12;
  const double half_to_1 = OfBits((BitsOf(x) & 0x000fffffffffffff) | 0x3fe0000000000000);
  const double doubled = half_to_1 < kSqrtHalf ? 1 : 0;
  const double rest = half_to_1 < kSqrtHalf ? half_to_1 * 2 : half_to_1;
  const double exponent = (ToDouble(BitsOf(x) >> 52) - 1022) - doubled;
  const double s = (rest - 1) / (rest + 1);
  double sum = 0;
  for (int term = kLogTerms; term > 0; --term) sum = std::fma(sum, s * s, 1.0 / (2 * term - 1));
  return std::fma(exponent, kHighLn2, std::fma(2 * s, sum, exponent * kLowLn2));
}

// Wichura, Algorithm AS 241, PPND16: one rational function for the middle, two for the tails.
struct Quotient {
  Coefficients above, below;

  ARRAY_OPS_INLINE double operator()(double x) const { return Polynomial(above, x) / Polynomial(below, x); }
};

ARRAY_OPS_INLINE double Middle(double x) {
  constexpr Quotient kQuotient = {
      {3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
       4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3},
      {1.0000000000000000000e0, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
       2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4, 5.2264952788528545610e+3}};
  return kQuotient(x);
}
ARRAY_OPS_INLINE double NearEnd(double x) {
  constexpr Quotient kQuotient = {
      {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
       1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4},
      {1.0000000000000000000e0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
       1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9}};
  return kQuotient(x);
}
ARRAY_OPS_INLINE double FarEnd(double x) {
  constexpr Quotient kQuotient = {
      {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
       2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7},
      {1.0000000000000000000e0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
       7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15}};
  return kQuotient(x);
}

// A probability minus 1/2: the upper 52 bits + 1/2, divided by 2^52.
ARRAY_OPS_INLINE double DistanceOf(uint64_t bits) {
  return (ToDouble(bits >> 12) + 0.5) * 0x1p-52 - 0.5;
}
ARRAY_OPS_INLINE bool IsInTail(double distance) {
  return std::abs(distance) > 0.425;
}
ARRAY_OPS_INLINE double NormalInMiddle(double distance) {
  return distance * Middle(std::fma(-distance, distance, 0.180625));
}
ARRAY_OPS_INLINE double EndOf(double distance) {
  return 0.5 - std::abs(distance);
}
ARRAY_OPS_INLINE double RootOf(double end) {
  return std::sqrt(-Log(end));
}

// The inverse of the normal distribution. Operations are those of the loops in random_ops.cc, so results are equal.
struct NormalNumbers {
  template <typename T>
  static ARRAY_OPS_INLINE T Of(uint64_t bits) {
    const double distance = DistanceOf(bits);
    return static_cast<T>(static_cast<Drawn<T>>(IsInTail(distance) ? InTail(distance) : NormalInMiddle(distance)));
  }

 private:
  static ARRAY_OPS_INLINE double InTail(double distance) {
    const double root = RootOf(EndOf(distance));
    return std::copysign(root > 5 ? FarEnd(root - 5) : NearEnd(root - 1.6), distance);
  }
};

// Draws::Run writes numbers `first`, ..., first + n - 1 of the seed.
template <typename T, typename Draws>
class RandomOp : public OpKernel {
 public:
  explicit RandomOp(OpKernelConstruction* context) : OpKernel(context) {
    int64 seed, seed2;
    OP_REQUIRES_OK(context, context->GetAttr("seed", &seed));
    OP_REQUIRES_OK(context, context->GetAttr("seed2", &seed2));
    seed_ = static_cast<uint64_t>(seed);
    if (seed2 != 0) seed_ ^= RandomBits(static_cast<uint64_t>(seed2), 0);
  }

  void Compute(OpKernelContext* context) override {
    TensorShape shape;
    OP_REQUIRES_OK(context, ReadShape(context->input(0), "shape", &shape));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    const int64 n = output->NumElements();
    const uint64_t first = taken_.fetch_add(static_cast<uint64_t>(n));
    OP_REQUIRES_OK(context, Draws::Run(context, seed_, first, n, static_cast<T*>(output->data())));
  }

 private:
  uint64_t seed_ = 0;
  std::atomic<uint64_t> taken_{0};
};

}  // namespace array_ops
