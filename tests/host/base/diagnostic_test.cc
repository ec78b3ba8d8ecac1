// SPDX-License-Identifier: Apache-2.0
#include "host/base/diagnostic.h"

#include <gtest/gtest.h>

namespace opsrun::host {
namespace {

TEST(Span, IsKnownOnceItHasALine) {
  EXPECT_FALSE(Span{}.known());
  EXPECT_TRUE((Span{{2, 1}, {2, 4}}).known());
}

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

}  // namespace
}  // namespace opsrun::host
