// SPDX-License-Identifier: Apache-2.0
#include "host/graph/read_number.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "host/tensor/number_type.h"

namespace opsrun::host {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// "nan", "inf", "-1.5" ... of both parts.
std::string Parts(const std::string& text) {
  const auto read = ReadComplex<double>(text);
  if (!read) return "none";
  const auto part = [](double x) {
    return std::isnan(x)   ? "nan"
           : std::isinf(x) ? (x < 0 ? "-inf" : "inf")
                           : std::to_string(x).substr(0, x < 0 || std::signbit(x) ? 4 : 3);
  };
  return part(read->number.real()) + std::string(" ") + part(read->number.imag());
}

TEST(ReadComplex, ReadsEverySpellingOfPythonAndYaml) {
  for (const auto& [text, parts] :
       {std::pair("1+2j", "1.0 2.0"), std::pair("(1.5e0-2.5e-1j)", "1.5 -0.2"), std::pair("-0-0j", "-0.0 -0.0"),
        std::pair("2j", "0.0 2.0"), std::pair("nanj", "0.0 nan"), std::pair("-.nanj", "0.0 nan"),
        std::pair(".inf-.infj", "inf -inf"), std::pair("(nan+infj)", "nan inf")})
    EXPECT_EQ(Parts(text), parts) << text;
  for (const char* imag : {"+nan", "-nan", "+.nan", "-.nan", "+.NaN"}) {
    for (const auto& [real, part] :
         {std::pair("1", "1.0"), std::pair(".nan", "nan"), std::pair("nan", "nan"), std::pair("-inf", "-inf")})
      EXPECT_EQ(Parts(std::string(real) + imag + "j"), std::string(part) + " nan") << real << imag;
  }
  for (const char* text : {"", "j", "1", "1+2", "1+j", "nan", "1+2i", "1 + 2j", "++1j", "1+nanjj", "1+xj"})
    EXPECT_EQ(Parts(text), "none") << text;
}

TEST(ReadFloat, ReadsWhatYamlCallsANumber) {
  EXPECT_EQ(ReadFloat<double>("0x1F")->number, 31);
  EXPECT_EQ(ReadFloat<float>("-.inf")->number, -kInfinity);
  EXPECT_TRUE(std::isnan(ReadFloat<float>(".nan")->number));
  for (const char* text : {"nan", "inf", "1f", "true", "", "1_0"}) EXPECT_FALSE(ReadFloat<float>(text)) << text;
  EXPECT_EQ(ReadFloat<float>("0o400000004000000001")->number, 9007200328482816.0f) << "rounded once";
}

TEST(ReadFloat, TellsWhetherItIsTooLarge) {
  EXPECT_TRUE(ReadFloat<float>("1e39")->overflows);
  EXPECT_TRUE(ReadFloat<double>("1e999")->overflows);
  EXPECT_FALSE(ReadFloat<float>(".inf")->overflows);
  EXPECT_TRUE(ReadFloat<Float8E4M3FN>(".inf")->overflows);  // it has none
  EXPECT_FALSE(ReadFloat<Float8E4M3FN>(".nan")->overflows);
  EXPECT_TRUE(ReadComplex<float>("1e39+1j")->overflows);
  EXPECT_TRUE(ReadComplex<float>("1-1e39j")->overflows);
  EXPECT_FALSE(ReadComplex<float>("inf-infj")->overflows);
}

TEST(ReadFloatAttr, BecomesTheNearestFloat) {
  EXPECT_EQ(ReadFloatAttr(PlainValue("0.1")), 0.1);
  EXPECT_EQ(static_cast<float>(*ReadFloatAttr(PlainValue("7.038531e-26"))), std::bit_cast<float>(0x15ae43fdu));
  EXPECT_EQ(ReadFloatAttr(PlainValue(".inf")), kInfinity);
  EXPECT_EQ(ReadFloatAttr(StringValue("1")), std::nullopt);
}

}  // namespace
}  // namespace opsrun::host
