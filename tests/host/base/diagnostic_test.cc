// tests/host/base/diagnostic_test.cc: what is found wrong, and the names that may have been meant.
// SPDX-License-Identifier: Apache-2.0
#include "host/base/diagnostic.h"

#include <gtest/gtest.h>

#include "host/base/near_names.h"

namespace opsrun::host {
namespace {

TEST(SuggestName, SaysItInWordsAndAsTextIfOneIsNear) {
  Diagnostic near, other;
  SuggestName(near, "zeroedd", {"first", "zeroed"}, "outputs", "z.");
  EXPECT_EQ(near.help, std::vector<std::string>{"did you mean 'zeroed'?"});
  EXPECT_EQ(near.suggestion, "z.zeroed");
  SuggestName(other, "other", {"first", "zeroed"}, "outputs");
  EXPECT_EQ(other.help, std::vector<std::string>{"outputs: first, zeroed"});
  EXPECT_EQ(other.suggestion, "");
}

TEST(Diagnostics, KeepsWhatIsFilledInThroughTheReference) {
  Diagnostics found;
  found.Warning("G220", "deprecated");
  EXPECT_FALSE(found.has_errors());
  EXPECT_EQ(ExitCode(found), 0);
  found.Error("G201", "no op named 'ZeroOt'").help.push_back("did you mean 'ZeroOut'?");
  EXPECT_TRUE(found.has_errors());
  ASSERT_EQ(found.all().size(), 2u);
  EXPECT_EQ(found.all()[1].code, Code("G201"));
  EXPECT_EQ(found.all()[1].help.size(), 1u);
  EXPECT_FALSE(Span{}.known());  // once it has a line
  EXPECT_TRUE((Span{{2, 1}, {2, 4}}).known());
}

TEST(ExitCode, IsThatOfTheGraphsOwnMistakesIfThereAreAny) {
  const struct {
    int exit_code;
    std::vector<Code> codes;
  } rows[] = {{0, {}},
              {3, {"G201"}},
              {4, {"P101"}},
              {6, {"R403"}},
              {70, {Code()}},
              {3, {"P101", "G201", "R401"}},
              {4, {"R401", "D401", "P101"}},
              {5, {"R401", "D401"}},
              {1, {Code(), "R401"}}};
  for (const auto& row : rows) {
    Diagnostics found;
    for (const Code code : row.codes) found.Error(code, "x");
    EXPECT_EQ(ExitCode(found), row.exit_code) << row.codes.size();
  }
}

using Names = std::vector<std::string>;

TEST(NearNames, FindsOneSlipInThreeLettersButNotInShortOrEndlessWords) {
  const Names names = {"ZeroOut", "Pad"};
  for (const char* near : {"ZeroOt", "ZeroOutt", "ZeraOut", "ZEROOUT"})
    EXPECT_EQ(NearNames(near, names), Names{"ZeroOut"}) << near;
  EXPECT_EQ(NearNames("pda", {"pad"}), Names{"pad"}) << "exchanged neighbors count once";
  EXPECT_EQ(NearNames("preserveIndex", {"preserve_index"}), Names{"preserve_index"});
  EXPECT_EQ(NearNames("abcdef", {"abxdxf"}), Names{"abxdxf"});
  EXPECT_EQ(NearNames("abcdef", {"axxdxf"}), Names{});
  EXPECT_EQ(NearNames("", {"a"}), Names{});
  EXPECT_EQ(NearNames("ab", {"cd"}), Names{});
  EXPECT_EQ(NearNames("x", {"y", "xx"}), Names{"xx"}) << "a word of one letter is no slip of any other letter";
  EXPECT_EQ(NearNames(std::string(100000, 'a'), {std::string(100000, 'a')}), Names{});
}

TEST(NearNames, PutsTheNearestFirstOnceEachAndStopsAtThree) {
  EXPECT_EQ(NearNames("inputs", {"input_x", "inputs1", "inputs", "inputsx", "inpux"}),
            (Names{"inputs", "inputs1", "inputsx"}));
  EXPECT_EQ(NearNames("pax", {"pad", "pad"}), Names{"pad"});
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
