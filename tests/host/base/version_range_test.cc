// SPDX-License-Identifier: Apache-2.0
#include "host/base/version_range.h"

#include <gtest/gtest.h>

namespace opsrun::host {
namespace {

bool Holds(const std::string& range, const std::string& version) {
  RangeMistake mistake;
  const std::optional<VersionRange> parsed = ParseVersionRange(range, &mistake);
  EXPECT_TRUE(parsed) << mistake.message;
  return parsed && parsed->Holds(*ParseVersion(version));
}

std::string MistakeIn(const std::string& range) {
  RangeMistake mistake;
  EXPECT_FALSE(ParseVersionRange(range, &mistake)) << range;
  return std::to_string(mistake.begin) + "-" + std::to_string(mistake.end) + " " + mistake.message;
}

TEST(VersionRange, ComparesNumbersAndWantsAllOfItsBounds) {
  EXPECT_TRUE(Holds("> 1.9", "1.10"));
  EXPECT_TRUE(Holds("< 10", "9.9.9"));
  EXPECT_FALSE(Holds("> 1.2", "1.2.0"));
  EXPECT_TRUE(Holds(">= 1.2", "1.2.0.0"));
  EXPECT_TRUE(Holds("1.2", "1.2.0"));
  EXPECT_FALSE(Holds("1.2", "1.2.1"));
  for (const char* version : {"1.2", "1.2.7", "1.9"}) EXPECT_TRUE(Holds(">=1.2,<2,!=1.3", version)) << version;
  for (const char* version : {"1.1.9", "2", "1.3.0"}) EXPECT_FALSE(Holds(">= 1.2 , < 2 , != 1.3", version)) << version;
  EXPECT_TRUE(Holds("<= 2, > 1, == 1.5", "1.5"));
  EXPECT_TRUE(Holds(" * ", "0"));
}

TEST(VersionRange, SaysWhereAMistakeIs) {
  EXPECT_EQ(MistakeIn(""), "0-1 missing version");
  EXPECT_EQ(MistakeIn("1.2, "), "5-6 missing version");
  EXPECT_EQ(MistakeIn(">= 1.2, < two"), "10-13 'two' does not begin with an operator or a version");
  EXPECT_EQ(MistakeIn("1.2-rc"), "0-6 '1.2-rc' is not a version");
  EXPECT_EQ(MistakeIn("1..2"), "0-4 '1..2' is not a version");
  EXPECT_EQ(MistakeIn("1234567890123456789"), "0-19 '1234567890123456789' is not a version");
}

}  // namespace
}  // namespace opsrun::host
