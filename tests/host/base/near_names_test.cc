// SPDX-License-Identifier: Apache-2.0
#include "host/base/near_names.h"

#include <gtest/gtest.h>

namespace opsrun::host {
namespace {

using Names = std::vector<std::string>;

TEST(NearNames, FindsOneSlip) {
  const Names names = {"ZeroOut", "Pad"};
  EXPECT_EQ(NearNames("ZeroOt", names), Names{"ZeroOut"});
  EXPECT_EQ(NearNames("ZeroOutt", names), Names{"ZeroOut"});
  EXPECT_EQ(NearNames("ZeraOut", names), Names{"ZeroOut"});
}

TEST(NearNames, CountsExchangedNeighboursOnce) {
  EXPECT_EQ(NearNames("pda", {"pad"}), Names{"pad"});
}

TEST(NearNames, IgnoresCaseAndUnderscores) {
  EXPECT_EQ(NearNames("preserveIndex", {"preserve_index"}), Names{"preserve_index"});
  EXPECT_EQ(NearNames("ZEROOUT", {"ZeroOut"}), Names{"ZeroOut"});
}

TEST(NearNames, AllowsOneSlipInThreeLetters) {
  EXPECT_EQ(NearNames("abcdef", {"abxdxf"}), Names{"abxdxf"});
  EXPECT_EQ(NearNames("abcdef", {"axxdxf"}), Names{});
}

TEST(NearNames, PutsTheNearestFirstAndStopsAtThree) {
  EXPECT_EQ(NearNames("inputs", {"input_x", "inputs1", "inputs", "inputsx", "inpux"}),
            (Names{"inputs", "inputs1", "inputsx"}));
}

TEST(NearNames, NamesEachNameOnce) {
  EXPECT_EQ(NearNames("pax", {"pad", "pad"}), Names{"pad"});
}

TEST(NearNames, HasNothingForShortOrEndlessWords) {
  EXPECT_EQ(NearNames("", {"a"}), Names{});
  EXPECT_EQ(NearNames("ab", {"cd"}), Names{});
  EXPECT_EQ(NearNames("x", {"y", "xx"}), Names{"xx"}) << "a word of one letter is no slip of any other letter";
  EXPECT_EQ(NearNames(std::string(100000, 'a'), {std::string(100000, 'a')}), Names{});
}

TEST(DidYouMean, AsksForTheNearOnes) {
  EXPECT_EQ(DidYouMean("pax", {"pad", "Conv"}, "ops"), "did you mean 'pad'?");
  EXPECT_EQ(DidYouMean("pax", {"pad", "paw"}, "ops"), "did you mean 'pad' or 'paw'?");
  EXPECT_EQ(DidYouMean("pax", {"pad", "paw", "pan"}, "ops"), "did you mean 'pad', 'paw' or 'pan'?");
}

TEST(DidYouMean, ListsWhatThereIsWhenNothingIsNear) {
  EXPECT_EQ(DidYouMean("Conv", {"Pad", "ZeroOut"}, "ops"), "ops: Pad, ZeroOut");
}

TEST(DidYouMean, CutsLongLists) {
  const Names names(15, "something");
  std::string text = DidYouMean("x", names, "ops");
  EXPECT_TRUE(text.ends_with("something and 3 more")) << text;
}

TEST(DidYouMean, SaysWhenThereIsNothing) {
  EXPECT_EQ(DidYouMean("x", {}, "attrs"), "there are no attrs");
}

}  // namespace
}  // namespace opsrun::host
