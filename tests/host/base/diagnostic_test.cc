// SPDX-License-Identifier: Apache-2.0
#include "host/base/diagnostic.h"

#include <gtest/gtest.h>

namespace opsrun::host {
namespace {

TEST(Span, IsKnownOnceItHasALine) {
  EXPECT_FALSE(Span{}.known());
  EXPECT_TRUE((Span{{2, 1}, {2, 4}}).known());
}

TEST(SuggestName, SaysItInWordsAndAsText) {
  Diagnostic d;
  SuggestName(d, "zeroedd", {"first", "zeroed"}, "outputs", "z.");
  EXPECT_EQ(d.help, std::vector<std::string>{"did you mean 'zeroed'?"});
  EXPECT_EQ(d.suggestion, "z.zeroed");
}

TEST(SuggestName, SuggestsNothingWhereNothingIsNear) {
  Diagnostic d;
  SuggestName(d, "other", {"first", "zeroed"}, "outputs");
  EXPECT_EQ(d.help, std::vector<std::string>{"outputs: first, zeroed"});
  EXPECT_EQ(d.suggestion, "");
}

TEST(Diagnostics, KeepsWhatIsFilledInThroughTheReference) {
  Diagnostics found;
  found.Error("G201", "no op named 'ZeroOt'").help.push_back("did you mean 'ZeroOut'?");
  ASSERT_EQ(found.all().size(), 1u);
  EXPECT_EQ(found.all()[0].code, Code("G201"));
  EXPECT_EQ(found.all()[0].help.size(), 1u);
}

TEST(Diagnostics, WarningsAreNoErrors) {
  Diagnostics found;
  found.Warning("G220", "deprecated");
  EXPECT_FALSE(found.has_errors());
  EXPECT_EQ(ExitCode(found), 0);
  found.Error("G201", "no op");
  EXPECT_TRUE(found.has_errors());
}

int ExitCodeOf(const std::vector<Code>& codes) {
  Diagnostics found;
  for (const Code code : codes) found.Error(code, "x");
  return ExitCode(found);
}

TEST(ExitCode, IsThatOfTheCode) {
  EXPECT_EQ(ExitCodeOf({}), 0);
  EXPECT_EQ(ExitCodeOf({"G201"}), 3);
  EXPECT_EQ(ExitCodeOf({"P101"}), 4);
  EXPECT_EQ(ExitCodeOf({"R403"}), 6);
  EXPECT_EQ(ExitCodeOf({Code()}), 70);
}

TEST(ExitCode, LetsTheGraphsOwnMistakesWin) {
  EXPECT_EQ(ExitCodeOf({"P101", "G201", "R401"}), 3);
  EXPECT_EQ(ExitCodeOf({"R401", "D401", "P101"}), 4);
  EXPECT_EQ(ExitCodeOf({"R401", "D401"}), 5);
  EXPECT_EQ(ExitCodeOf({Code(), "R401"}), 1);
}

}  // namespace
}  // namespace opsrun::host
