// tests/host/base/units_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/base/units.h"

#include <gtest/gtest.h>

#include "host/base/text_table.h"

namespace opsrun::host {
namespace {

TEST(DurationText, HasThreeDigitsAndAUnit) {
  EXPECT_EQ(DurationText(0), "0.00 ns");
  EXPECT_EQ(DurationText(9.996), "10.0 ns");
  EXPECT_EQ(DurationText(999.4), "999 ns");
  EXPECT_EQ(DurationText(999.7), "1.00 us");
  EXPECT_EQ(DurationText(45'600'000), "45.6 ms");
  EXPECT_EQ(DurationText(7.2e12), "7200 s");
}

TEST(CountText, IsWholeBelowAThousand) {
  EXPECT_EQ(CountText(17), "17");
  EXPECT_EQ(CountText(1.5), "1.5");
  EXPECT_EQ(CountText(999.4), "999");
  EXPECT_EQ(CountText(123'456), "123 k");
}

TEST(BytesText, CountsInPowersOfTwo) {
  EXPECT_EQ(BytesText(1023), "1023 B");
  EXPECT_EQ(BytesText(1536), "1.50 KiB");
  EXPECT_EQ(BytesText(1023 * 1024), "1023 KiB");
}

TEST(BandwidthText, CountsInPowersOfTen) {
  EXPECT_EQ(BandwidthText(3.21e9), "3.21 GB/s");
}

TEST(ShareText, IsInPercent) {
  EXPECT_EQ(ShareText(0.1234), "12.3 %");
}

TEST(Several, KnowsOne) {
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
