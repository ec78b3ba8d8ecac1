// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/small_floats.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/host/tensor/float8_answers.h"

namespace opsrun::host {
namespace {

// A format by its definition: what is not in `specials` is a number.
struct Definition {
  Float8Format format;
  int exponent_bits, fraction_bits, bias;
  int infinity;           // a code, -1 for none
  std::vector<int> nans;  // those without sign
  bool negative_zero;
};
const Definition kDefinitions[] = {
    {kE5M2, 5, 2, 15, 0x7c, {0x7d, 0x7e, 0x7f}, true},
    {kE4M3FN, 4, 3, 7, -1, {0x7f}, true},
    {kE4M3FNUZ, 4, 3, 8, -1, {}, false},
    {kE4M3B11FNUZ, 4, 3, 11, -1, {}, false},
    {kE5M2FNUZ, 5, 2, 16, -1, {}, false},
};

double MeaningOf(const Definition& d, int bits) {
  const int code = bits & 0x7f;
  if (!d.negative_zero && bits == 0x80) return std::numeric_limits<double>::quiet_NaN();
  for (const int nan : d.nans) {
    if (code == nan) return std::numeric_limits<double>::quiet_NaN();
  }
  const double sign = bits < 0x80 ? 1 : -1;
  if (code == d.infinity) return sign * std::numeric_limits<double>::infinity();
  const int exponent = code >> d.fraction_bits, fraction = code % (1 << d.fraction_bits);
  const double significand = std::ldexp(fraction, -d.fraction_bits) + (exponent == 0 ? 0 : 1);
  return sign * std::ldexp(significand, (exponent == 0 ? 1 : exponent) - d.bias);
}

// The codes of the finite numbers from 0 up, in order.
std::vector<int> FiniteCodes(const Definition& d) {
  std::vector<int> codes;
  for (int code = 0; code < 0x80; ++code) {
    if (std::isfinite(MeaningOf(d, code))) codes.push_back(code);
  }
  return codes;
}

TEST(Float8, EveryCodeHasItsMeaningAndComesBack) {
  for (const Definition& d : kDefinitions) {
    for (int bits = 0; bits < 256; ++bits) {
      const double meaning = MeaningOf(d, bits);
      const float found = Float8ToFloat(d.format, static_cast<uint8_t>(bits));
      const uint8_t back = Float8FromDouble(d.format, found);
      if (std::isnan(meaning)) {
        EXPECT_TRUE(std::isnan(found)) << bits;
        EXPECT_EQ(back, d.format.nan | (bits & 0x80)) << bits;
      } else {
        EXPECT_EQ(found, meaning) << bits;
        EXPECT_EQ(std::signbit(found), bits >= 0x80) << bits;
        EXPECT_EQ(back, bits);
      }
    }
  }
}

TEST(Float8, RoundsToTheNearerNeighbourAndTiesToEven) {
  for (const Definition& d : kDefinitions) {
    const std::vector<int> codes = FiniteCodes(d);
    for (size_t i = 0; i + 1 < codes.size(); ++i) {
      const double low = MeaningOf(d, codes[i]), high = MeaningOf(d, codes[i + 1]);
      const double middle = (low + high) / 2;
      EXPECT_EQ(Float8FromDouble(d.format, middle), codes[i] % 2 == 0 ? codes[i] : codes[i + 1]);
      EXPECT_EQ(Float8FromDouble(d.format, std::nextafter(middle, 0)), codes[i]);
      EXPECT_EQ(Float8FromDouble(d.format, std::nextafter(middle, high)), codes[i + 1]);
      const int negative = codes[i] == 0 && !d.negative_zero ? 0 : codes[i] | 0x80;
      EXPECT_EQ(Float8FromDouble(d.format, -std::nextafter(middle, 0)), negative);
    }
  }
}

TEST(Float8, OverflowsFromHalfAStepAboveTheLargest) {
  for (const Definition& d : kDefinitions) {
    const int last = FiniteCodes(d).back();
    const int beyond = d.infinity >= 0 ? d.infinity : d.format.nan;
    const double largest = MeaningOf(d, last), step = largest - MeaningOf(d, last - 1);
    const double tie = largest + step / 2;  // to even, which is the largest itself or what would follow
    EXPECT_EQ(Float8FromDouble(d.format, std::nextafter(tie, 0)), last);
    EXPECT_EQ(Float8FromDouble(d.format, tie), last % 2 == 0 ? last : beyond);
    EXPECT_EQ(Float8FromDouble(d.format, std::nextafter(tie, 1e9)), beyond);
    for (const double huge : {1e300, std::numeric_limits<double>::infinity()}) {
      EXPECT_EQ(Float8FromDouble(d.format, huge), beyond);
      EXPECT_EQ(Float8FromDouble(d.format, -huge), beyond | 0x80);
    }
  }
}

TEST(Float8, TinyNumbersBecomeZero) {
  for (const Definition& d : kDefinitions) {
    for (const double tiny : {5e-324, 1e-310, 1e-300, 1e-20}) {
      EXPECT_EQ(Float8FromDouble(d.format, tiny), 0);
      EXPECT_EQ(Float8FromDouble(d.format, -tiny), d.negative_zero ? 0x80 : 0);
    }
  }
}

TEST(Float8, AgreesWithMlDtypes) {
  for (size_t i = 0; i < 5; ++i) {
    const Float8Format& format = kDefinitions[i].format;
    for (const Float8Answer& answer : kFloat8Answers)
      EXPECT_EQ(Float8FromDouble(format, NumberOf(answer)), CodeOf(answer, i)) << kFloat8Names[i] << NumberOf(answer);
    const auto bits = [&](uint8_t code) { return std::bit_cast<uint32_t>(Float8ToFloat(format, code)); };
    EXPECT_EQ(HashOf256(bits), kFloat8Hashes[i]) << kFloat8Names[i];
  }
}

// A format of 16 bits by its definition.
struct Definition16 {
  const char* name;
  int exponent_bits, fraction_bits;
  uint16_t infinity;
  float (*to_float)(uint16_t);
  uint16_t (*from_double)(double);
};
const Definition16 kDefinitions16[] = {{"float16", 5, 10, 0x7c00, HalfToFloat, HalfFromDouble},
                                       {"bfloat16", 8, 7, 0x7f80, BFloat16ToFloat, BFloat16FromDouble}};

// What the bits mean, in double precision.
double MeaningOf(const Definition16& d, uint32_t bits) {
  const uint32_t fraction = bits & ((1u << d.fraction_bits) - 1);
  const int exponent = static_cast<int>((bits >> d.fraction_bits) & ((1u << d.exponent_bits) - 1));
  const int bias = (1 << (d.exponent_bits - 1)) - 1;
  const double sign = (bits & 0x8000u) != 0 ? -1.0 : 1.0;
  if (exponent == (1 << d.exponent_bits) - 1) {
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  }
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - d.fraction_bits);
  return sign * std::ldexp(fraction + (1u << d.fraction_bits), exponent - bias - d.fraction_bits);
}

TEST(Floats16, EveryBitPatternHasItsMeaningAndComesBack) {
  for (const Definition16& d : kDefinitions16) {
    for (uint32_t bits = 0; bits < 65536; ++bits) {
      const double meaning = MeaningOf(d, bits), found = d.to_float(static_cast<uint16_t>(bits));
      const uint16_t back = d.from_double(found);
      EXPECT_TRUE(std::isnan(meaning) ? std::isnan(found) : meaning == found) << d.name << " " << bits;
      EXPECT_TRUE(std::isnan(meaning) || std::signbit(meaning) == std::signbit(found)) << d.name << " " << bits;
      EXPECT_TRUE(std::isnan(meaning) ? std::isnan(d.to_float(back)) : back == bits) << d.name << " " << bits;
    }
  }
}

TEST(Floats16, RoundToTheNearerNeighbourAndTiesToEven) {
  for (const Definition16& d : kDefinitions16) {
    for (uint16_t bits = 0; bits < d.infinity - 1; ++bits) {
      const double low = d.to_float(bits), high = d.to_float(static_cast<uint16_t>(bits + 1)),
                   middle = (low + high) / 2;
      EXPECT_EQ(d.from_double(middle), (bits & 1) == 0 ? bits : bits + 1) << d.name;
      EXPECT_EQ(d.from_double(std::nextafter(middle, 0)), bits) << d.name;
      EXPECT_EQ(d.from_double(std::nextafter(middle, high)), bits + 1) << d.name;
    }
  }
}

TEST(Half, OverflowsFromHalfAStepAboveTheLargestAndTinyNumbersBecomeZero) {
  EXPECT_EQ(HalfFromDouble(65519.999), 0x7bff);
  EXPECT_EQ(HalfFromDouble(65520), 0x7c00);
  EXPECT_EQ(HalfFromDouble(-1e300), 0xfc00);
  EXPECT_EQ(HalfFromDouble(std::ldexp(1.0, -25)), 0);
  EXPECT_EQ(HalfFromDouble(-5e-324), 0x8000);
  EXPECT_EQ(HalfFromDouble(std::nextafter(std::ldexp(1.0, -25), 1)), 1);
}

}  // namespace
}  // namespace opsrun::host
