// tests/host/base/suggest_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/base/suggest.h"

#include <gtest/gtest.h>

namespace opsrun::host {
namespace {

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

}  // namespace
}  // namespace opsrun::host
