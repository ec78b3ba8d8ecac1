// tests/host/examine/verdict_test.cc: a verdict as text, whole and damaged.
// SPDX-License-Identifier: Apache-2.0
#include "host/examine/verdict.h"

#include <gtest/gtest.h>

namespace opsrun::host {
namespace {

Verdict SomeVerdict() {
  return {"0.1.0 level 1",    "/lib/opsrun/a b.so",
          {1234, -5},         "00ff",
          0xFEDCBA9876543210, {{"/lib/libc.so.6", {1, 2}}, {"/lib/with a blank.so", {UINT64_MAX, INT64_MIN}}}};
}

TEST(Verdict, ComesBackFromItsText) {
  Verdict verdict = SomeVerdict();
  EXPECT_EQ(ParseVerdict(VerdictText(verdict)), verdict);
  verdict.build_id.clear();
  verdict.libraries.clear();
  EXPECT_EQ(ParseVerdict(VerdictText(verdict)), verdict);
}

TEST(Verdict, IsNothingIfAnyByteIsMissingOrALineIsNotWhatItShouldBe) {
  const std::string text = VerdictText(SomeVerdict());
  for (size_t n = 0; n + 1 < text.size(); ++n) EXPECT_FALSE(ParseVerdict(text.substr(0, n)).has_value()) << n;
  EXPECT_FALSE(ParseVerdict(text + "more").has_value());
  for (const auto& [from, to] : {std::pair("verdict 1", "verdict 2"), std::pair("stamp 1234", "stamp x"),
                                 std::pair("stamp 1234", "stamp 12345678901234567890123"),
                                 std::pair("content f", "content x"), std::pair("library 1 2 /lib", "library 1 2"),
                                 std::pair("library 1 2 ", "library 1 "), std::pair("path ", "pathx")}) {
    std::string damaged = text;
    damaged.replace(damaged.find(from), std::string_view(from).size(), to);
    EXPECT_FALSE(ParseVerdict(damaged).has_value()) << from << " -> " << to;
  }
}

}  // namespace
}  // namespace opsrun::host
