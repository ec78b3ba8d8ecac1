// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/number_type.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <limits>
#include <random>

#include "tests/host/tensor/float8_answers.h"

namespace opsrun::host {
namespace {

// A format by its definition.
struct Definition {
  const char* name;
  int bits, fraction_bits, bias;
  int infinity;        // a code, -1 for none
  int first_nan;       // the codes without sign from here on are NaNs
  bool negative_zero;  // otherwise its code is the only NaN
  std::function<float(int)> to_float;
  std::function<int(double)> from_double;

  int sign() const { return 1 << (bits - 1); }
  double Meaning(int pattern) const {
    const int code = pattern & (sign() - 1);
    if (code >= first_nan || (!negative_zero && pattern == sign())) return std::numeric_limits<double>::quiet_NaN();
    const double one = pattern < sign() ? 1 : -1;
    if (code == infinity) return one * std::numeric_limits<double>::infinity();
    const int exponent = code >> fraction_bits, fraction = code % (1 << fraction_bits);
    const double significand = std::ldexp(fraction, -fraction_bits) + (exponent == 0 ? 0 : 1);
    return one * std::ldexp(significand, (exponent == 0 ? 1 : exponent) - bias);
  }
  // The codes of the finite numbers from 0 up are 0 to this one.
  int last() const { return (infinity >= 0 ? infinity : first_nan) - 1; }
  // What is too large.
  int beyond() const { return infinity >= 0 ? infinity : negative_zero ? first_nan : sign(); }
};

Definition Of8(size_t i, const Float8Format& format, int fraction_bits, int bias, int infinity, int first_nan) {
  const auto to_float = [format](int code) { return Float8ToFloat(format, static_cast<uint8_t>(code)); };
  const auto from_double = [format](double number) { return Float8FromDouble(format, number); };
  return {kFloat8Names[i], 8, fraction_bits, bias, infinity, first_nan, first_nan < 0x80, to_float, from_double};
}
const Definition kDefinitions[] = {
    Of8(0, kE5M2, 2, 15, 0x7c, 0x7d),
    Of8(1, kE4M3FN, 3, 7, -1, 0x7f),
    Of8(2, kE4M3FNUZ, 3, 8, -1, 0x80),
    Of8(3, kE4M3B11FNUZ, 3, 11, -1, 0x80),
    Of8(4, kE5M2FNUZ, 2, 16, -1, 0x80),
    {"float16", 16, 10, 15, 0x7c00, 0x7c01, true, HalfToFloat, HalfFromDouble},
    {"bfloat16", 16, 7, 127, 0x7f80, 0x7f81, true, BFloat16ToFloat, BFloat16FromDouble},
};

TEST(SmallFloats, EveryCodeHasItsMeaningAndComesBack) {
  for (const Definition& d : kDefinitions) {
    for (int pattern = 0; pattern < 2 * d.sign(); ++pattern) {
      const double meaning = d.Meaning(pattern);
      const float found = d.to_float(pattern);
      const int back = d.from_double(found);
      if (std::isnan(meaning)) {
        EXPECT_TRUE(std::isnan(found)) << d.name << " " << pattern;
        EXPECT_TRUE(std::isnan(d.Meaning(back))) << d.name << " " << pattern;
        EXPECT_TRUE(d.bits == 16 || ((back ^ pattern) & d.sign()) == 0) << d.name << " " << pattern;
      } else {
        EXPECT_EQ(found, meaning) << d.name << " " << pattern;
        EXPECT_EQ(std::signbit(found), pattern >= d.sign()) << d.name << " " << pattern;
        EXPECT_EQ(back, pattern) << d.name;
      }
    }
  }
}

TEST(SmallFloats, RoundToTheNearerNeighbourAndTiesToEven) {
  for (const Definition& d : kDefinitions) {
    for (int code = 0; code < d.last(); ++code) {
      const double low = d.Meaning(code), high = d.Meaning(code + 1), middle = (low + high) / 2;
      EXPECT_EQ(d.from_double(middle), code % 2 == 0 ? code : code + 1) << d.name;
      EXPECT_EQ(d.from_double(std::nextafter(middle, 0)), code) << d.name;
      EXPECT_EQ(d.from_double(std::nextafter(middle, high)), code + 1) << d.name;
      const int negative = code == 0 && !d.negative_zero ? 0 : code | d.sign();
      EXPECT_EQ(d.from_double(-std::nextafter(middle, 0)), negative) << d.name;
    }
  }
}

TEST(SmallFloats, OverflowFromHalfAStepAboveTheLargestAndTinyNumbersBecomeZero) {
  for (const Definition& d : kDefinitions) {
    const double largest = d.Meaning(d.last()), step = largest - d.Meaning(d.last() - 1);
    const double tie = largest + step / 2;  // to even, which is the largest itself or what would follow
    EXPECT_EQ(d.from_double(std::nextafter(tie, 0)), d.last()) << d.name;
    EXPECT_EQ(d.from_double(tie), d.last() % 2 == 0 ? d.last() : d.beyond()) << d.name;
    EXPECT_EQ(d.from_double(std::nextafter(tie, HUGE_VAL)), d.beyond()) << d.name;
    for (const double huge : {1e300, HUGE_VAL}) {
      EXPECT_EQ(d.from_double(huge), d.beyond()) << d.name;
      EXPECT_EQ(d.from_double(-huge), d.beyond() | d.sign()) << d.name;
    }
    for (const double tiny : {5e-324, 1e-310, 1e-300, d.Meaning(1) / 4}) {
      EXPECT_EQ(d.from_double(tiny), 0) << d.name;
      EXPECT_EQ(d.from_double(-tiny), d.negative_zero ? d.sign() : 0) << d.name;
    }
  }
}

TEST(SmallFloats, AgreeWithMlDtypes) {
  for (size_t i = 0; i < std::size(kFloat8Names); ++i) {
    const Definition& d = kDefinitions[i];
    for (const Float8Answer& answer : kFloat8Answers)
      EXPECT_EQ(d.from_double(NumberOf(answer)), CodeOf(answer, i)) << d.name << NumberOf(answer);
    EXPECT_EQ(HashOf256([&](uint8_t code) { return std::bit_cast<uint32_t>(d.to_float(code)); }), kFloat8Hashes[i])
        << d.name;
  }
}

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
