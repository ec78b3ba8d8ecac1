// host/tensor/small_floats.h: half, bfloat16 and the 8-bit floating-point formats as bit patterns.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

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

}  // namespace opsrun::host
