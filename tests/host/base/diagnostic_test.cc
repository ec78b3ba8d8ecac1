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
