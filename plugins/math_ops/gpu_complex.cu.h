// plugins/math_ops/gpu_complex.cu.h: complex numbers in GPU kernels, where std::complex has no operators.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "types.h"

namespace math_ops {

// Has the layout of std::complex<Part>.
template <typename Part>
class GpuComplex {
 public:
  typedef Part value_type;

  GpuComplex() = default;  // leaves the parts unset, as shared memory requires
  constexpr GpuComplex(Part real, Part imag = Part(0)) : real_(real), imag_(imag) {}
  template <typename From>
  explicit constexpr GpuComplex(const GpuComplex<From>& z)
      : real_(static_cast<Part>(z.real())), imag_(static_cast<Part>(z.imag())) {}

  constexpr Part real() const { return real_; }
  constexpr Part imag() const { return imag_; }

  constexpr GpuComplex operator-() const { return {-real_, -imag_}; }
  constexpr GpuComplex operator+(GpuComplex z) const { return {real_ + z.real_, imag_ + z.imag_}; }
  constexpr GpuComplex operator-(GpuComplex z) const { return {real_ - z.real_, imag_ - z.imag_}; }
  // For sums of products, into which it may be fused, unlike Mul.
  constexpr GpuComplex operator*(GpuComplex z) const {
    return {real_ * z.real_ - imag_ * z.imag_, real_ * z.imag_ + imag_ * z.real_};
  }
  constexpr GpuComplex& operator+=(GpuComplex z) { return *this = *this + z; }
  constexpr GpuComplex operator/(Part divisor) const { return {real_ / divisor, imag_ / divisor}; }
  constexpr bool operator==(GpuComplex z) const { return real_ == z.real_ && imag_ == z.imag_; }
  constexpr bool operator!=(GpuComplex z) const { return !(*this == z); }

 private:
  Part real_, imag_;
};

template <typename Part>
constexpr bool kIsComplex<GpuComplex<Part>> = true;

// What GPU kernels take for elements of T.
template <typename T>
struct GpuTypeOf {
  typedef T Type;
};
template <typename Part>
struct GpuTypeOf<std::complex<Part>> {
  typedef GpuComplex<Part> Type;
};
template <typename T>
using GpuType = typename GpuTypeOf<T>::Type;

}  // namespace math_ops
