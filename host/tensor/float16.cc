// host/tensor/float16.cc: half and bfloat16 as bit patterns.
// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/float16.h"

#include <bit>
#include <cmath>

namespace opsrun::host {
namespace {

struct Format {
  int exponent_bits;
  int fraction_bits;
};

constexpr Format kHalf{5, 10};
constexpr Format kBFloat16{8, 7};
constexpr int kDoubleFraction = 52;
constexpr int kDoubleBias = 1023;

// value / 2^shift, to nearest, ties to even. Requires: 0 < shift < 64.
uint64_t ShiftRightRounded(uint64_t value, int shift) {
  const uint64_t quotient = value >> shift;
  const uint64_t remainder = value & ((uint64_t{1} << shift) - 1);
  const uint64_t tie = uint64_t{1} << (shift - 1);
  const bool up = remainder > tie || (remainder == tie && (quotient & 1) != 0);
  return quotient + (up ? 1 : 0);
}

// The magnitude's bits in `format`; the caller adds the sign.
uint16_t Narrow(uint64_t magnitude, Format format) {
  const uint64_t infinity = ((uint64_t{1} << format.exponent_bits) - 1) << format.fraction_bits;
  const uint64_t fraction = magnitude & ((uint64_t{1} << kDoubleFraction) - 1);
  const int exponent = static_cast<int>(magnitude >> kDoubleFraction);
  const int narrower = kDoubleFraction - format.fraction_bits;
  if (exponent == 2 * kDoubleBias + 1) {
    if (fraction == 0) return static_cast<uint16_t>(infinity);
    const uint64_t quiet = uint64_t{1} << (format.fraction_bits - 1);
    return static_cast<uint16_t>(infinity | quiet | (fraction >> narrower));
  }
  const int biased = exponent - kDoubleBias + (1 << (format.exponent_bits - 1)) - 1;
  const uint64_t significand = fraction | (uint64_t{1} << kDoubleFraction);
  if (biased <= 0) {
    // Subnormal. Rounding may carry into the smallest normal number, whose bits follow directly.
    const int shift = narrower + 1 - biased;
    return shift > kDoubleFraction + 2 ? 0 : static_cast<uint16_t>(ShiftRightRounded(significand, shift));
  }
  // The significand's leading one adds 1 to the exponent field, and so does a carry out of rounding.
  const uint64_t bits =
      (static_cast<uint64_t>(biased - 1) << format.fraction_bits) + ShiftRightRounded(significand, narrower);
  return static_cast<uint16_t>(bits < infinity ? bits : infinity);
}

uint16_t FromDouble(double value, Format format) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint16_t sign = static_cast<uint16_t>((bits >> 48) & 0x8000u);
  return sign | Narrow(bits & ~(uint64_t{1} << 63), format);
}

}  // namespace

uint16_t HalfFromDouble(double value) {
  return FromDouble(value, kHalf);
}
uint16_t BFloat16FromDouble(double value) {
  return FromDouble(value, kBFloat16);
}

float HalfToFloat(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1fu;
  const uint32_t fraction = bits & 0x3ffu;
  if (exponent == 0) {
    const float magnitude = std::ldexp(static_cast<float>(fraction), -24);
    return sign != 0 ? -magnitude : magnitude;
  }
  const uint32_t wide_exponent = exponent == 0x1f ? 0xffu : exponent + (127 - 15);
  return std::bit_cast<float>(sign | (wide_exponent << 23) | (fraction << 13));
}

float BFloat16ToFloat(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

}  // namespace opsrun::host
