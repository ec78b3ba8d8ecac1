// SPDX-License-Identifier: Apache-2.0
#include "parse.h"

#include <gtest/gtest.h>

#include <limits>

namespace string_to_number {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <typename T>
T Value(std::string_view text) {
  T value = 99;
  EXPECT_EQ(Parse(text, &value), Parsed::kOk) << text;
  return value;
}
template <typename T>
Parsed Why(std::string_view text) {
  T value;
  return Parse(text, &value);
}

TEST(Parse, ReadsIntegers) {
  EXPECT_EQ(Value<int32_t>("-2147483648"), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(Value<int64_t>("9223372036854775807"), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(Value<int32_t>("007"), 7);
}

TEST(Parse, ReadsFloats) {
  EXPECT_EQ(Value<double>("-12.5"), -12.5);
  EXPECT_EQ(Value<double>(".5e1"), 5);
  EXPECT_EQ(Value<double>("3."), 3);
  EXPECT_EQ(Value<float>("1e8"), 1e8f);
  EXPECT_EQ(Value<double>("inf"), kInfinity);
  EXPECT_EQ(Value<double>("-Infinity"), -kInfinity);
  EXPECT_TRUE(std::isnan(Value<float>("NaN")));
}

TEST(Parse, RoundsToTheNearest) {
  EXPECT_EQ(Value<float>("16777217"), 16777216.0f);                // a tie, to even
  EXPECT_EQ(Value<float>("16777217.0000000000001"), 16777218.0f);  // rounding to double first would make it a tie
  EXPECT_EQ(Value<double>("0.1"), 0.1);
  EXPECT_EQ(Value<double>("2.2250738585072011e-308"), 2.2250738585072011e-308);
}

TEST(Parse, AllowsBlanksAroundAndAPlus) {
  EXPECT_EQ(Value<int32_t>(" \t\r\n12\v\f "), 12);
  EXPECT_EQ(Value<int32_t>("+12"), 12);
  EXPECT_EQ(Value<double>(" +.5 "), 0.5);
}

TEST(Parse, RefusesWhatIsNoNumber) {
  for (const char* text : {"", " ", "+", "-", "+-1", "++1", "1 2", "0x10", "1,5", "12a", "one", "- 1"}) {
    EXPECT_EQ(Why<int32_t>(text), Parsed::kNoNumber) << text;
    EXPECT_EQ(Why<double>(text), Parsed::kNoNumber) << text;
  }
  EXPECT_EQ(Why<int64_t>("1.0"), Parsed::kNoNumber);
  EXPECT_EQ(Why<int64_t>("1e3"), Parsed::kNoNumber);
  EXPECT_EQ(Why<double>(std::string_view("1\0", 2)), Parsed::kNoNumber);
  EXPECT_EQ(Why<double>("1e"), Parsed::kNoNumber);
}

TEST(Parse, RefusesWhatIsTooLarge) {
  EXPECT_EQ(Why<int32_t>("2147483648"), Parsed::kTooLarge);
  EXPECT_EQ(Why<int64_t>("-9223372036854775809"), Parsed::kTooLarge);
  EXPECT_EQ(Why<float>("3.5e38"), Parsed::kTooLarge);
  EXPECT_EQ(Why<double>("-1e999"), Parsed::kTooLarge);
  EXPECT_EQ(Why<double>("0.001e99999999999999999999"), Parsed::kTooLarge);
  EXPECT_EQ(Why<double>(std::string(400, '9')), Parsed::kTooLarge);
}

TEST(Parse, RoundsTheSmallestToZero) {
  EXPECT_EQ(Value<float>("1e-60"), 0);
  EXPECT_EQ(Value<double>("1000e-99999999999999999999"), 0);
  EXPECT_EQ(Value<double>("0." + std::string(400, '0') + "1"), 0);
  EXPECT_TRUE(std::signbit(Value<double>("-1e-999")));
  EXPECT_EQ(Value<double>("0e999"), 0);
  EXPECT_EQ(Value<double>("5e-324"), std::numeric_limits<double>::denorm_min());
}

}  // namespace
}  // namespace string_to_number
