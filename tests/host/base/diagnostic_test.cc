// tests/host/base/diagnostic_test.cc: errors as statuses and as diagnostics.
// SPDX-License-Identifier: Apache-2.0
#include "host/base/diagnostic.h"

#include <gtest/gtest.h>

#include <memory>

#include "host/base/status.h"

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

TEST(Status, CarriesCodeSentenceAndSubjectUnlessItIsOk) {
  EXPECT_TRUE(Status().ok());
  EXPECT_EQ(Status().code(), OPSRUN_OK);
  EXPECT_EQ(Status().message(), "");
  const Status status = InvalidArgument("N is 0", "attr:N");
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.code(), OPSRUN_INVALID_ARGUMENT);
  EXPECT_EQ(status.message(), "N is 0");
  EXPECT_EQ(status.subject(), "attr:N");
}

TEST(CodeName, NamesEveryCanonicalCodeAndNumbersTheRest) {
  EXPECT_EQ(CodeName(OPSRUN_OK), "OK");
  EXPECT_EQ(CodeName(OPSRUN_INVALID_ARGUMENT), "INVALID_ARGUMENT");
  EXPECT_EQ(CodeName(OPSRUN_UNAUTHENTICATED), "UNAUTHENTICATED");
  EXPECT_EQ(CodeName(99), "code 99");
  EXPECT_EQ(CodeName(-1), "code -1");
}

TEST(Result, HoldsAValueThatCannotBeCopiedOrWhyThereIsNone) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
  ASSERT_TRUE(result.ok());
  std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 3);
  const Result<int> none = NotFound("no such op");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.status().code(), OPSRUN_NOT_FOUND);
}

}  // namespace

}  // namespace opsrun::host
