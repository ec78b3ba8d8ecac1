// tests/host/base/decimal_text_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/base/decimal_text.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <limits>
#include <string>

namespace opsrun::host {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(DecimalText, IsWhatYamlCallsANumber) {
  for (const char* text :
       {"0", "-1", "+1", "1.", ".5", "-.5", "1e3", "1.5E-7", "1.e+3", "007", "1e99999999999999999999"}) {
    EXPECT_TRUE(IsDecimalText(text)) << text;
  }
  for (const char* text :
       {"", ".", "-", "e3", "1e", "1e+", "1.5.2", "1 ", " 1", "0x1", "inf", ".inf", "nan", "1_0", "--1", "1,5"}) {
    EXPECT_FALSE(IsDecimalText(text)) << text;
  }
}

TEST(NearestDouble, RoundsOnce) {
  EXPECT_EQ(NearestDouble("0.1"), 0.1);
  EXPECT_EQ(NearestDouble("+9007199254740993"), 9007199254740992.0);
  EXPECT_EQ(NearestDouble("9007199254740993.0000000000000000000001"), 9007199254740994.0);
  EXPECT_EQ(NearestDouble("5e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_TRUE(std::signbit(NearestDouble("-0")));
}

TEST(NearestDouble, TellsTooLargeFromTooSmall) {
  EXPECT_EQ(NearestDouble("1e999"), kInfinity);
  EXPECT_EQ(NearestDouble("-1.5e999"), -kInfinity);
  EXPECT_EQ(NearestDouble("0.001e99999999999999999999"), kInfinity);
  EXPECT_EQ(NearestDouble(std::string(400, '9')), kInfinity);
  EXPECT_EQ(NearestDouble("1.5e-999"), 0);
  EXPECT_EQ(NearestDouble("1000e-99999999999999999999"), 0);
  EXPECT_EQ(NearestDouble("0." + std::string(400, '0') + "1"), 0);
  EXPECT_TRUE(std::signbit(NearestDouble("-1e-999")));
  EXPECT_EQ(NearestDouble("0e999"), 0);
}

TEST(CompareMagnitudes, SeesTheLastDigit) {
  EXPECT_EQ(CompareMagnitudes("-1.5", 1.5), 0);
  EXPECT_EQ(CompareMagnitudes("0150.0e-2", -1.5), 0);
  EXPECT_LT(CompareMagnitudes("1.4999999999999999999999999999", 1.5), 0);
  EXPECT_GT(CompareMagnitudes("1.5000000000000000000000000001", 1.5), 0);
  EXPECT_LT(CompareMagnitudes("9", 10), 0);
  EXPECT_GT(CompareMagnitudes("1e-400", 0), 0);
  EXPECT_EQ(CompareMagnitudes("0.000", 0), 0);
  EXPECT_LT(CompareMagnitudes("0", 5e-324), 0);
  const double least = std::numeric_limits<double>::denorm_min();  // 751 digits
  EXPECT_GT(CompareMagnitudes("4.9406564584124655e-324", least), 0);
  EXPECT_LT(CompareMagnitudes("4.9406564584124654e-324", least), 0);
}

}  // namespace
}  // namespace opsrun::host
