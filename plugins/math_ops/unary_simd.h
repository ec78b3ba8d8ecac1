// plugins/math_ops/unary_simd.h: vectors of the instruction set that this source is compiled for.
//
// The vectors are compiler extensions, so the same code serves every processor. Comparisons return a vector of
// integers, each 0 or -1, which `?:` accepts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__AVX512F__)
#include <immintrin.h>
#endif
#include <stdint.h>

// For long functions of vectors: a call in a loop costs more than its code, since it passes vectors through memory and
// reloads all constants.
#define MATH_OPS_INLINE inline __attribute__((always_inline))

namespace math_ops {
namespace MATH_OPS_ISA {
namespace {

#if defined(__AVX512F__)
constexpr int kVectorBytes = 64;
#elif defined(__AVX2__)
constexpr int kVectorBytes = 32;
#else
constexpr int kVectorBytes = 16;
#endif

template <typename T>
struct Simd;

template <>
struct Simd<float> {
  typedef float V __attribute__((vector_size(kVectorBytes)));
  typedef uint32_t U __attribute__((vector_size(kVectorBytes)));
  typedef uint32_t Bits;
  static constexpr int kFraction = 23, kBias = 127;
};
template <>
struct Simd<double> {
  typedef double V __attribute__((vector_size(kVectorBytes)));
  typedef uint64_t U __attribute__((vector_size(kVectorBytes)));
  typedef uint64_t Bits;
  static constexpr int kFraction = 52, kBias = 1023;
};

template <typename T>
using Vec = typename Simd<T>::V;
// The bits of a vector.
template <typename T>
using VecBits = typename Simd<T>::U;

template <typename T>
constexpr int64_t kLanes = kVectorBytes / int64_t{sizeof(T)};

template <typename T>
constexpr T OfType(float f32, double f64) {
  return sizeof(T) == sizeof(float) ? static_cast<T>(f32) : static_cast<T>(f64);
}
template <typename T>
constexpr T Infinity() {
  return static_cast<T>(__builtin_inf());
}
template <typename T>
constexpr T NotANumber() {
  return static_cast<T>(__builtin_nan(""));
}

template <typename T>
Vec<T> Load(const T* from) {
  Vec<T> v;
  __builtin_memcpy(&v, from, sizeof(v));
  return v;
}
template <typename T>
void Store(Vec<T> v, T* to) {
  __builtin_memcpy(to, &v, sizeof(v));
}
template <typename T>
Vec<T> All(T x) {
  return x + Vec<T>{};
}

// The smaller and the larger one of two; y if either is NaN, or if both are zero. GCC makes several instructions of
// `?:`.
template <typename T>
Vec<T> Smaller(Vec<T> x, Vec<T> y) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == sizeof(float)) {
    return (Vec<T>)_mm512_min_ps((__m512)x, (__m512)y);
  } else {
    return (Vec<T>)_mm512_min_pd((__m512d)x, (__m512d)y);
  }
#else
  return x < y ? x : y;
#endif
}
template <typename T>
Vec<T> Larger(Vec<T> x, Vec<T> y) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == sizeof(float)) {
    return (Vec<T>)_mm512_max_ps((__m512)x, (__m512)y);
  } else {
    return (Vec<T>)_mm512_max_pd((__m512d)x, (__m512d)y);
  }
#else
  return x > y ? x : y;
#endif
}

// Whether a number of x is NaN.
template <typename T>
bool AnyNan(Vec<T> x) {
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == sizeof(float)) {
    return _mm512_cmp_ps_mask((__m512)x, (__m512)x, _CMP_UNORD_Q) != 0;
  } else {
    return _mm512_cmp_pd_mask((__m512d)x, (__m512d)x, _CMP_UNORD_Q) != 0;
  }
#else
  bool any = false;
  for (int64_t i = 0; i < kLanes<T>; ++i) any |= x[i] != x[i];
  return any;
#endif
}

template <typename T>
VecBits<T> BitsOf(Vec<T> v) {
  return (VecBits<T>)v;
}
template <typename T>
Vec<T> OfBits(VecBits<T> bits) {
  return (Vec<T>)bits;
}

template <typename T>
constexpr typename Simd<T>::Bits kSignBit = typename Simd<T>::Bits{1} << (sizeof(T) * 8 - 1);

template <typename T>
Vec<T> Abs(Vec<T> x) {
  return OfBits<T>(BitsOf<T>(x) & ~kSignBit<T>);
}
// The magnitude of the first, which must not be negative, with the sign of the second.
template <typename T>
Vec<T> WithSignOf(Vec<T> magnitude, Vec<T> sign) {
  return OfBits<T>(BitsOf<T>(magnitude) | (BitsOf<T>(sign) & kSignBit<T>));
}

// Adding it to a number leaves no fraction bits: the last bits of the sum are the number rounded to an integer.
template <typename T>
constexpr T kRounder = static_cast<T>(uint64_t{3} << (Simd<T>::kFraction - 1));

// 2^n for integers n within the exponent range, where `rounded` is n + kRounder.
template <typename T>
Vec<T> PowerOfTwo(Vec<T> rounded) {
  return OfBits<T>(BitsOf<T>(rounded + T(Simd<T>::kBias)) << Simd<T>::kFraction);
}

// first + x * (second + x * (...)).
template <typename T>
Vec<T> Polynomial(Vec<T>, T first) {
  return All(first);
}
template <typename T, typename... More>
Vec<T> Polynomial(Vec<T> x, T first, More... more) {
  return Polynomial<T>(x, more...) * x + first;
}

}  // namespace
}  // namespace MATH_OPS_ISA
}  // namespace math_ops
