// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "host/tensor/number_type.h"
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

}  // namespace
}  // namespace opsrun::host
