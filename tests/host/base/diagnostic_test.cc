// SPDX-License-Identifier: Apache-2.0
#include "host/base/diagnostic.h"

#include <gtest/gtest.h>

namespace opsrun::host {
namespace {

TEST(SourceFile, CountsLinesFromOne) {
  const SourceFile file{"g.yaml", "a\nb\n\nd"};
  EXPECT_EQ(file.Line(1), "a");
  EXPECT_EQ(file.Line(3), "");
  EXPECT_EQ(file.Line(4), "d");
}

TEST(SourceFile, HasNoLinePastTheEnd) {
  const SourceFile file{"g.yaml", "a\n"};
  EXPECT_EQ(file.Line(0), "");
  EXPECT_EQ(file.Line(2), "");
  EXPECT_EQ(file.Line(4000000000u), "");
}

TEST(SourceFile, LeavesOutCarriageReturns) {
  EXPECT_EQ((SourceFile{"g.yaml", "a\r\nb"}).Line(1), "a");
}

TEST(Span, IsKnownOnceItHasALine) {
  EXPECT_FALSE(Span{}.known());
  EXPECT_TRUE((Span{{2, 1}, {2, 4}}).known());
}

TEST(Diagnostics, KeepsWhatIsFilledInThroughTheReference) {
  Diagnostics found;
  found.Error("G201", "no op named 'ZeroOt'").help.push_back("did you mean 'ZeroOut'?");
  ASSERT_EQ(found.all().size(), 1u);
  EXPECT_EQ(found.all()[0].code, "G201");
  EXPECT_EQ(found.all()[0].help.size(), 1u);
}

TEST(Diagnostics, WarningsAreNoErrors) {
  Diagnostics found;
  found.Warning("G900", "deprecated");
  EXPECT_FALSE(found.has_errors());
  EXPECT_EQ(ExitCode(found), 0);
  found.Error("G201", "no op");
  EXPECT_TRUE(found.has_errors());
}

int ExitCodeOf(const std::vector<std::string>& codes) {
  Diagnostics found;
  for (const std::string& code : codes) found.Error(code, "x");
  return ExitCode(found);
}

TEST(ExitCode, FollowsTheLetter) {
  EXPECT_EQ(ExitCodeOf({}), 0);
  EXPECT_EQ(ExitCodeOf({"G1"}), 3);
  EXPECT_EQ(ExitCodeOf({"K1"}), 3);
  EXPECT_EQ(ExitCodeOf({"F1"}), 3);
  EXPECT_EQ(ExitCodeOf({"P1"}), 4);
  EXPECT_EQ(ExitCodeOf({"D1"}), 5);
  EXPECT_EQ(ExitCodeOf({"R1"}), 1);
}

TEST(ExitCode, LetsTheGraphsOwnMistakesWin) {
  EXPECT_EQ(ExitCodeOf({"P1", "G1", "R1"}), 3);
  EXPECT_EQ(ExitCodeOf({"R1", "D1", "P1"}), 4);
  EXPECT_EQ(ExitCodeOf({"R1", "D1"}), 5);
}

TEST(ExitCode, CallsAnUnknownLetterABug) {
  EXPECT_EQ(ExitCodeOf({"Z1"}), 70);
  EXPECT_EQ(ExitCodeOf({""}), 70);
}

}  // namespace
}  // namespace opsrun::host
