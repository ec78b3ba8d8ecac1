// SPDX-License-Identifier: Apache-2.0
#include "host/base/number_text.h"

#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <limits>

#include "host/base/display_text.h"

namespace opsrun::host {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(DecimalText, IsWhatYamlCallsANumber) {
  for (const char* text :
       {"0", "-1", "+1", "1.", ".5", "-.5", "1e3", "1.5E-7", "1.e+3", "007", "1e99999999999999999999"})
    EXPECT_TRUE(IsDecimalText(text)) << text;
  for (const char* text :
       {"", ".", "-", "e3", "1e", "1e+", "1.5.2", "1 ", " 1", "0x1", "inf", ".inf", "nan", "1_0", "--1", "1,5"})
    EXPECT_FALSE(IsDecimalText(text)) << text;
}

TEST(NearestDouble, RoundsOnceAndTellsTooLargeFromTooSmall) {
  EXPECT_EQ(NearestDouble("0.1"), 0.1);
  EXPECT_EQ(NearestDouble("+9007199254740993"), 9007199254740992.0);
  EXPECT_EQ(NearestDouble("9007199254740993.0000000000000000000001"), 9007199254740994.0);
  EXPECT_EQ(NearestDouble("5e-324"), std::numeric_limits<double>::denorm_min());
  const std::string large(400, '9'), small = "0." + std::string(400, '0') + "1";
  for (const char* text : {"1e999", "0.001e99999999999999999999", large.c_str()})
    EXPECT_EQ(NearestDouble(text), kInfinity) << text;
  EXPECT_EQ(NearestDouble("-1.5e999"), -kInfinity);
  for (const char* text : {"1.5e-999", "1000e-99999999999999999999", small.c_str(), "-1e-999", "0e999"})
    EXPECT_EQ(NearestDouble(text), 0) << text;
  for (const char* text : {"-0", "-1e-999"}) EXPECT_TRUE(std::signbit(NearestDouble(text))) << text;
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

TEST(NumberText, HasThreeDigitsAndAUnit) {
  for (const auto& [ns, text] :
       {std::pair(0.0, "0.00 ns"), std::pair(9.996, "10.0 ns"), std::pair(999.4, "999 ns"), std::pair(999.7, "1.00 us"),
        std::pair(45'600'000.0, "45.6 ms"), std::pair(7.2e12, "7200 s")})
    EXPECT_EQ(DurationText(ns), text);
  EXPECT_EQ(CountText(17), "17");
  EXPECT_EQ(CountText(1.5), "1.5");
  EXPECT_EQ(CountText(999.4), "999");
  EXPECT_EQ(CountText(123'456), "123 k");
  EXPECT_EQ(BytesText(1023), "1023 B");
  EXPECT_EQ(BytesText(1536), "1.50 KiB");
  EXPECT_EQ(BytesText(1023 * 1024), "1023 KiB");
  EXPECT_EQ(BandwidthText(3.21e9), "3.21 GB/s");
  EXPECT_EQ(ShareText(0.1234), "12.3 %");
  EXPECT_EQ(Several(1, "run") + ", " + Several(0, "node"), "1 run, 0 nodes");
}

TEST(TextTable, AlignsColumnsAndLeavesNoBlanksAtTheEnd) {
  using enum TextTable::Align;
  TextTable table({{"node", kLeft}, {"time"}, {"op", kLeft}});
  table.Add({"z", "12 ns", "ZeroOut"});
  table.Add({"longer", "1 ns"});
  EXPECT_EQ(table.Text(), "node     time  op\nz       12 ns  ZeroOut\nlonger   1 ns\n");
}

}  // namespace
}  // namespace opsrun::host
