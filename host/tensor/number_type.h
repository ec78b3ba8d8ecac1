// host/tensor/number_type.h: maps a data type to the C++ type of its elements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include "host/base/dtype.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

// S EEEE MMM or S EEEEE MM. An exponent of 0 marks zero and the subnormal numbers.
struct Float8Format {
  int fraction_bits;
  int bias;
  uint8_t largest;   // code of the largest finite number
  uint8_t overflow;  // code of larger numbers
  uint8_t nan;
  bool one_zero;  // 0x80 is the only NaN
};

inline constexpr Float8Format kE5M2 = {2, 15, 0x7b, 0x7c, 0x7e, false};
inline constexpr Float8Format kE4M3FN = {3, 7, 0x7e, 0x7f, 0x7f, false};
inline constexpr Float8Format kE4M3FNUZ = {3, 8, 0x7f, 0x80, 0x80, true};
inline constexpr Float8Format kE4M3B11FNUZ = {3, 11, 0x7f, 0x80, 0x80, true};
inline constexpr Float8Format kE5M2FNUZ = {2, 16, 0x7f, 0x80, 0x80, true};

// Rounds once, to nearest, ties to even. (ml_dtypes rounds to float first, so it may round twice.)
uint8_t Float8FromDouble(const Float8Format& format, double value);
// Exact.
float Float8ToFloat(const Float8Format& format, uint8_t bits);

// An element of a tensor.
template <const Float8Format& kFormat>
struct Float8 {
  uint8_t bits = 0;
  Float8() = default;
  explicit Float8(double value) : bits(Float8FromDouble(kFormat, value)) {}
  operator double() const { return Float8ToFloat(kFormat, bits); }
};
using Float8E5M2 = Float8<kE5M2>;
using Float8E4M3FN = Float8<kE4M3FN>;
using Float8E4M3FNUZ = Float8<kE4M3FNUZ>;
using Float8E4M3B11FNUZ = Float8<kE4M3B11FNUZ>;
using Float8E5M2FNUZ = Float8<kE5M2FNUZ>;

// Half is IEEE 754 binary16; bfloat16 is the upper half of binary32. Conversion from double rounds once, to nearest,
// ties to even; overflow becomes infinity; NaN stays NaN but loses its payload.
uint16_t HalfFromDouble(double value);
float HalfToFloat(uint16_t bits);
uint16_t BFloat16FromDouble(double value);
float BFloat16ToFloat(uint16_t bits);

// Elements of tensors.
template <uint16_t (*from_double)(double), float (*to_float)(uint16_t)>
struct Float16 {
  uint16_t bits = 0;
  Float16() = default;
  explicit Float16(double value) : bits(from_double(value)) {}
  operator double() const { return to_float(bits); }
};
using Half = Float16<HalfFromDouble, HalfToFloat>;
using BFloat16 = Float16<BFloat16FromDouble, BFloat16ToFloat>;

// Calls fn with a number of the C++ type of an element in memory, and returns its result. Bools are uint8_t, quantized
// types are their integers. Requires: DTypeSize(dtype) != 0.
template <typename Fn>
auto WithNumberType(DType dtype, Fn fn) {
  switch (dtype) {
    case DType::kInt8:
    case DType::kQInt8:
      return fn(int8_t());
    case DType::kInt16:
    case DType::kQInt16:
      return fn(int16_t());
    case DType::kInt32:
    case DType::kQInt32:
      return fn(int32_t());
    case DType::kInt64:
      return fn(int64_t());
    case DType::kUInt16:
    case DType::kQUInt16:
      return fn(uint16_t());
    case DType::kUInt32:
      return fn(uint32_t());
    case DType::kUInt64:
      return fn(uint64_t());
    case DType::kFloat16:
      return fn(Half());
    case DType::kBFloat16:
      return fn(BFloat16());
    case DType::kFloat8E5M2:
      return fn(Float8E5M2());
    case DType::kFloat8E4M3FN:
      return fn(Float8E4M3FN());
    case DType::kFloat8E4M3FNUZ:
      return fn(Float8E4M3FNUZ());
    case DType::kFloat8E4M3B11FNUZ:
      return fn(Float8E4M3B11FNUZ());
    case DType::kFloat8E5M2FNUZ:
      return fn(Float8E5M2FNUZ());
    case DType::kFloat32:
      return fn(float());
    case DType::kFloat64:
      return fn(double());
    case DType::kComplex64:
      return fn(std::complex<float>());
    case DType::kComplex128:
      return fn(std::complex<double>());
    default:  // bool, uint8 and quint8
      return fn(uint8_t());
  }
}

// Floats of 8 and 16 bits, which are structs with their bit pattern.
template <typename T>
inline constexpr bool kIsSmallFloat = requires(T number) {
  number.bits;
};

template <typename T>
inline constexpr bool kIsComplex = !std::is_convertible_v<T, double>;

// A type that holds a number of type T exactly: integers themselves, otherwise double or complex<double>.
template <typename T>
using Wide =
    std::conditional_t<std::is_integral_v<T>, T, std::conditional_t<kIsComplex<T>, std::complex<double>, double>>;

template <typename T>
T ElementAt(const Tensor& tensor, int64_t place) {
  return static_cast<const T*>(tensor.data())[place];
}

}  // namespace opsrun::host
