// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "host/tensor/number_type.h"

namespace opsrun::host {
namespace {

constexpr int kDoubleFraction = 52;
constexpr int kDoubleBias = 1023;

// number / 2^bits, to nearest, ties to even. Requires: 1 <= bits <= 62, and number < 2^62.
uint64_t Rounded(uint64_t number, int bits) {
  return (number + (uint64_t{1} << (bits - 1)) - 1 + (number >> bits & 1)) >> bits;
}

// The code of a magnitude, without an upper limit. Codes are ordered like their numbers, so a carry out of the fraction
// leads to the next exponent, and from subnormal to normal numbers.
uint64_t CodeOf(const Float8Format& format, double magnitude) {
  const auto bits = std::bit_cast<uint64_t>(magnitude);
  constexpr uint64_t kOne = uint64_t{1} << kDoubleFraction;
  const int exponent = static_cast<int>(bits >> kDoubleFraction) - kDoubleBias;
  const int least = 1 - format.bias;
  const int drop = kDoubleFraction - format.fraction_bits + std::max(least - exponent, 0);
  if (drop > kDoubleFraction + 1) return 0;  // less than half of the smallest number
  const uint64_t fraction = Rounded((bits & (kOne - 1)) | kOne, drop);
  return (static_cast<uint64_t>(std::max(exponent - least, 0)) << format.fraction_bits) + fraction;
}

}  // namespace

uint8_t Float8FromDouble(const Float8Format& format, double value) {
  const uint8_t sign = std::signbit(value) ? 0x80 : 0;
  if (std::isnan(value)) return format.nan | sign;
  const uint64_t code = CodeOf(format, std::abs(value));
  if (code > format.largest) return format.overflow | sign;
  return static_cast<uint8_t>(code) | (format.one_zero && code == 0 ? 0 : sign);
}

float Float8ToFloat(const Float8Format& format, uint8_t bits) {
  const uint8_t code = bits & 0x7f;
  const float sign = bits < 0x80 ? 1.0f : -1.0f;
  if (format.one_zero ? bits == format.nan : code > format.overflow || code == format.nan) {
    return std::copysign(std::numeric_limits<float>::quiet_NaN(), sign);
  }
  if (code > format.largest) return sign * std::numeric_limits<float>::infinity();
  const int exponent = code >> format.fraction_bits;
  const int fraction = code & ((1 << format.fraction_bits) - 1);
  const int one = exponent == 0 ? 0 : 1 << format.fraction_bits;
  return sign *
         std::ldexp(static_cast<float>(one + fraction), std::max(exponent, 1) - format.bias - format.fraction_bits);
}

namespace {

// Rounding to the nearest float and then to 16 bits would round twice. For a value between two floats, the float with
// an odd last bit is on the same side as the value of all 16-bit numbers and of the midpoints between them.
float RoundedToOdd(double value) {
  const auto nearest = static_cast<float>(value);
  if (double{nearest} == value || std::isnan(value)) return nearest;
  const auto bits = std::bit_cast<uint32_t>(nearest);
  const bool away = std::abs(double{nearest}) > std::abs(value);
  return std::bit_cast<float>((away ? bits - 1 : bits) | 1);
}

}  // namespace

uint16_t HalfFromDouble(double value) {
  return Eigen::numext::bit_cast<uint16_t>(Eigen::half(RoundedToOdd(value)));
}
uint16_t BFloat16FromDouble(double value) {
  return Eigen::numext::bit_cast<uint16_t>(Eigen::bfloat16(RoundedToOdd(value)));
}

float HalfToFloat(uint16_t bits) {
  return static_cast<float>(Eigen::numext::bit_cast<Eigen::half>(bits));
}
float BFloat16ToFloat(uint16_t bits) {
  return static_cast<float>(Eigen::numext::bit_cast<Eigen::bfloat16>(bits));
}

}  // namespace opsrun::host
