// SPDX-License-Identifier: Apache-2.0
#include "host/base/near_names.h"

#include <gtest/gtest.h>

namespace opsrun::host {
namespace {

using Names = std::vector<std::string>;

TEST(NearNames, FindsOneSlipInThreeLetters) {
  const Names names = {"ZeroOut", "Pad"};
  for (const char* near : {"ZeroOt", "ZeroOutt", "ZeraOut", "ZEROOUT"})
    EXPECT_EQ(NearNames(near, names), Names{"ZeroOut"}) << near;
  EXPECT_EQ(NearNames("pda", {"pad"}), Names{"pad"}) << "exchanged neighbors count once";
  EXPECT_EQ(NearNames("preserveIndex", {"preserve_index"}), Names{"preserve_index"});
  EXPECT_EQ(NearNames("abcdef", {"abxdxf"}), Names{"abxdxf"});
  EXPECT_EQ(NearNames("abcdef", {"axxdxf"}), Names{});
}

TEST(NearNames, PutsTheNearestFirstOnceEachAndStopsAtThree) {
  EXPECT_EQ(NearNames("inputs", {"input_x", "inputs1", "inputs", "inputsx", "inpux"}),
            (Names{"inputs", "inputs1", "inputsx"}));
  EXPECT_EQ(NearNames("pax", {"pad", "pad"}), Names{"pad"});
}

TEST(NearNames, HasNothingForShortOrEndlessWords) {
  EXPECT_EQ(NearNames("", {"a"}), Names{});
  EXPECT_EQ(NearNames("ab", {"cd"}), Names{});
  EXPECT_EQ(NearNames("x", {"y", "xx"}), Names{"xx"}) << "a word of one letter is no slip of any other letter";
  EXPECT_EQ(NearNames(std::string(100000, 'a'), {std::string(100000, 'a')}), Names{});
}

TEST(DidYouMean, AsksForTheNearOnesOrListsWhatThereIs) {
  EXPECT_EQ(DidYouMean("pax", {"pad", "Conv"}, "ops"), "did you mean 'pad'?");
  EXPECT_EQ(DidYouMean("pax", {"pad", "paw"}, "ops"), "did you mean 'pad' or 'paw'?");
  EXPECT_EQ(DidYouMean("pax", {"pad", "paw", "pan"}, "ops"), "did you mean 'pad', 'paw' or 'pan'?");
  EXPECT_EQ(DidYouMean("Conv", {"Pad", "ZeroOut"}, "ops"), "ops: Pad, ZeroOut");
  EXPECT_EQ(DidYouMean("x", {}, "attrs"), "there are no attrs");
  const std::string cut = DidYouMean("x", Names(15, "something"), "ops");
  EXPECT_TRUE(cut.ends_with("something and 3 more")) << cut;
}

}  // namespace
}  // namespace opsrun::host
