// tests/host/tensor/float16_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/float16.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace opsrun::host {
namespace {

// What the bits mean, by the definition of the formats, in double precision.
double Meaning(uint32_t bits, int exponent_bits, int fraction_bits) {
  const uint32_t fraction = bits & ((1u << fraction_bits) - 1);
  const int exponent = static_cast<int>((bits >> fraction_bits) & ((1u << exponent_bits) - 1));
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const double sign = (bits & 0x8000u) != 0 ? -1.0 : 1.0;
  if (exponent == (1 << exponent_bits) - 1) {
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  }
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - fraction_bits);
  return sign * std::ldexp(fraction + (1u << fraction_bits), exponent - bias - fraction_bits);
}

void ExpectSame(double expected, double found, uint32_t bits) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(found)) << bits;
  } else {
    EXPECT_EQ(expected, found) << bits;
    EXPECT_EQ(std::signbit(expected), std::signbit(found)) << bits;
  }
}

TEST(Half, EveryBitPatternHasItsMeaningAndComesBack) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const double meaning = Meaning(bits, 5, 10);
    const uint16_t half = static_cast<uint16_t>(bits);
    ExpectSame(meaning, HalfToFloat(half), bits);
    const uint16_t back = HalfFromDouble(HalfToFloat(half));
    EXPECT_TRUE(std::isnan(meaning) ? std::isnan(HalfToFloat(back)) : back == half) << bits;
  }
}

TEST(BFloat16, EveryBitPatternHasItsMeaningAndComesBack) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const double meaning = Meaning(bits, 8, 7);
    const uint16_t bfloat = static_cast<uint16_t>(bits);
    ExpectSame(meaning, BFloat16ToFloat(bfloat), bits);
    const uint16_t back = BFloat16FromDouble(BFloat16ToFloat(bfloat));
    EXPECT_TRUE(std::isnan(meaning) ? std::isnan(BFloat16ToFloat(back)) : back == bfloat) << bits;
  }
}

TEST(Half, RoundsToTheNearerNeighbourAndTiesToEven) {
  for (uint16_t bits = 0; bits < 0x7bff; ++bits) {
    const double low = HalfToFloat(bits);
    const double high = HalfToFloat(static_cast<uint16_t>(bits + 1));
    const double middle = (low + high) / 2;
    EXPECT_EQ(HalfFromDouble(middle), (bits & 1) == 0 ? bits : bits + 1);
    EXPECT_EQ(HalfFromDouble(std::nextafter(middle, 0)), bits);
    EXPECT_EQ(HalfFromDouble(std::nextafter(middle, high)), bits + 1);
  }
}

TEST(BFloat16, RoundsToTheNearerNeighbourAndTiesToEven) {
  for (uint16_t bits = 0; bits < 0x7f7f; ++bits) {
    const double low = BFloat16ToFloat(bits);
    const double high = BFloat16ToFloat(static_cast<uint16_t>(bits + 1));
    const double middle = (low + high) / 2;
    EXPECT_EQ(BFloat16FromDouble(middle), (bits & 1) == 0 ? bits : bits + 1);
    EXPECT_EQ(BFloat16FromDouble(std::nextafter(middle, high)), bits + 1);
  }
}

TEST(Half, OverflowsToInfinityFromHalfAStepAboveTheLargest) {
  EXPECT_EQ(HalfFromDouble(65519.999), 0x7bff);
  EXPECT_EQ(HalfFromDouble(65520), 0x7c00);
  EXPECT_EQ(HalfFromDouble(-1e300), 0xfc00);
}

TEST(Half, TinyNumbersBecomeZeroWithTheirSign) {
  EXPECT_EQ(HalfFromDouble(std::ldexp(1.0, -25)), 0);
  EXPECT_EQ(HalfFromDouble(-5e-324), 0x8000);
  EXPECT_EQ(HalfFromDouble(std::nextafter(std::ldexp(1.0, -25), 1)), 1);
}

}  // namespace
}  // namespace opsrun::host
