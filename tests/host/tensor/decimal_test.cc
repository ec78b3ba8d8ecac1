// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/decimal.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>
#include <random>

#include "host/tensor/number_type.h"

namespace opsrun::host {
namespace {

// Exactly, with a digit behind the last one that counts, if `digit` is not 0.
std::string Exactly(double number, const char* digit = "") {
  return fmt::format("{:.1100f}{}", number, digit);
}

// tests/graphs/numbers_are_rounded_once.yaml has what is not a limit.
TEST(NearestNumber, RoundsATextOnceAtTheLimits) {
  constexpr float kMost = std::numeric_limits<float>::max(), kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(NearestNumber<Half>("65520").bits, 0x7c00);
  EXPECT_EQ(NearestNumber<float>("340282356779733661637539395458142568447.9999"), kMost);
  EXPECT_EQ(NearestNumber<float>("340282356779733661637539395458142568448"), kInfinity);
  EXPECT_EQ(NearestNumber<Float8E4M3FN>("463.99999999999999999999").bits, 0x7e);
  EXPECT_EQ(NearestNumber<Float8E4M3FN>("464.00000000000000000001").bits, 0x7f);
  EXPECT_EQ(NearestNumber<float>("1e-400"), 0);
  EXPECT_EQ(NearestNumber<float>("1e400"), kInfinity);
}

// The middle between two neighbors is the nearest of the even one, and what is just beside it of the one at that side.
template <typename T>
void ExpectMiddlesRight(T low, T high) {
  const double middle = (static_cast<double>(low) + static_cast<double>(high)) / 2;
  const T even(middle);
  EXPECT_TRUE(HaveSameBits(NearestNumber<T>(Exactly(middle)), even)) << Exactly(middle);
  EXPECT_TRUE(HaveSameBits(NearestNumber<T>(Exactly(middle, "1")), middle < 0 ? low : high)) << Exactly(middle);
  const std::string below = fmt::format("{:.17e}", middle * (1 - 1e-16));
  EXPECT_TRUE(HaveSameBits(NearestNumber<T>(below), middle < 0 ? high : low)) << below;
}

template <typename T>
void ExpectAllMiddlesRight() {
  for (unsigned code = 1; code < 1u << (8 * sizeof(T)); ++code) {
    T low, high;
    low.bits = static_cast<decltype(low.bits)>(code - 1), high.bits = static_cast<decltype(low.bits)>(code);
    const double from = low, to = high;
    if (!std::isfinite(from) || !std::isfinite(to) || std::signbit(from) != std::signbit(to)) continue;
    ExpectMiddlesRight(from < to ? low : high, from < to ? high : low);
  }
}

TEST(NearestNumber, IsRightAtEveryMiddleOfNumbersOf8Bits) {
  ExpectAllMiddlesRight<Float8E5M2>();
  ExpectAllMiddlesRight<Float8E4M3FN>();
  ExpectAllMiddlesRight<Float8E4M3FNUZ>();
  ExpectAllMiddlesRight<Float8E4M3B11FNUZ>();
  ExpectAllMiddlesRight<Float8E5M2FNUZ>();
}

TEST(NearestNumber, IsRightAtMiddlesOfNumbersOf16And32Bits) {
  std::mt19937 random(7);
  for (int i = 0; i < 3000; ++i) {
    const auto code = static_cast<uint32_t>(random());
    Half half, next_half;
    half.bits = static_cast<uint16_t>(code % 0x7bff), next_half.bits = static_cast<uint16_t>(half.bits + 1);
    ExpectMiddlesRight(half, next_half);
    BFloat16 brain, next_brain;
    brain.bits = static_cast<uint16_t>(code % 0x7f7f), next_brain.bits = static_cast<uint16_t>(brain.bits + 1);
    ExpectMiddlesRight(brain, next_brain);
    ExpectMiddlesRight(std::bit_cast<float>(code % 0x7f7fffff), std::bit_cast<float>(code % 0x7f7fffff + 1));
  }
}

// The C library rounds a text to float once; only its locale is another one.
TEST(NearestNumber, AgreesWithTheCLibrary) {
  std::mt19937_64 random(11);
  for (int i = 0; i < 100'000; ++i) {
    const int digits = 1 + static_cast<int>(random() % 19), exponent = static_cast<int>(random() % 90) - 60;
    const std::string text =
        fmt::format("{}e{}", std::to_string(random()).substr(0, static_cast<size_t>(digits)), exponent);
    EXPECT_EQ(NearestNumber<float>(text), std::strtof(text.c_str(), nullptr)) << text;
    EXPECT_EQ(NearestNumber<double>(text), std::strtod(text.c_str(), nullptr)) << text;
  }
}

TEST(DoubleFor, IsTheNearestDoubleUnlessThatWouldRoundWrongly) {
  EXPECT_EQ(DoubleFor<float>("0.1"), 0.1);
  EXPECT_EQ(DoubleFor<float>("3"), 3);
  EXPECT_NE(DoubleFor<float>("7.038531e-26"), 7.038531e-26);
  EXPECT_EQ(static_cast<float>(DoubleFor<float>("7.038531e-26")), std::strtof("7.038531e-26", nullptr));
}

}  // namespace
}  // namespace opsrun::host
