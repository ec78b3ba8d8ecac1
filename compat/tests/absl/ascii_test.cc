// compat/tests/absl/ascii_test.cc: characters, prefixes and numbers in text, by the SDK's layer and by abseil itself.
// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/ascii.h"

#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace {

// The characters of ASCII, and one beyond, of a kind.
template <typename Is>
int CountOf(Is is) {
  int count = 0;
  for (int c = 0; c < 256; ++c) count += is(static_cast<unsigned char>(c)) ? 1 : 0;
  return count;
}

TEST(AbslAscii, HasKindsOfCharacters) {
  EXPECT_EQ(CountOf(absl::ascii_isdigit), 10);
  EXPECT_EQ(CountOf(absl::ascii_islower), 26);
  EXPECT_EQ(CountOf(absl::ascii_isupper), 26);
  EXPECT_EQ(CountOf(absl::ascii_isalpha), 52);
  EXPECT_EQ(CountOf(absl::ascii_isalnum), 62);
  EXPECT_EQ(CountOf(absl::ascii_isspace), 6);
  EXPECT_EQ(CountOf(absl::ascii_isblank), 2);
  EXPECT_EQ(CountOf(absl::ascii_iscntrl), 33);
  EXPECT_EQ(CountOf(absl::ascii_isprint), 95);
  EXPECT_EQ(CountOf(absl::ascii_isgraph), 94);
  EXPECT_EQ(CountOf(absl::ascii_ispunct), 32);
  EXPECT_EQ(CountOf(absl::ascii_isxdigit), 22);
  EXPECT_EQ(CountOf(absl::ascii_isascii), 128);
}

TEST(AbslAscii, ChangesCase) {
  EXPECT_EQ(absl::ascii_tolower('Q'), 'q');
  EXPECT_EQ(absl::ascii_toupper('q'), 'Q');
  EXPECT_EQ(absl::ascii_toupper('1'), '1');
  std::string text = "Ab1";
  absl::AsciiStrToLower(&text);
  EXPECT_EQ(text, "ab1");
  absl::AsciiStrToUpper(&text);
  EXPECT_EQ(text, "AB1");
}

TEST(AbslAscii, TakesSpacesAway) {
  EXPECT_EQ(absl::StripLeadingAsciiWhitespace("\t a b "), "a b ");
  EXPECT_EQ(absl::StripTrailingAsciiWhitespace(" a b\v\n"), " a b");
  std::string text = " \r a ";
  absl::StripLeadingAsciiWhitespace(&text);
  EXPECT_EQ(text, "a ");
  absl::StripTrailingAsciiWhitespace(&text);
  EXPECT_EQ(text, "a");
  absl::StripAsciiWhitespace(&text);
  EXPECT_EQ(text, "a");
}

std::string WithoutExtraSpaces(std::string text) {
  absl::RemoveExtraAsciiWhitespace(&text);
  return text;
}

TEST(AbslAscii, TakesExtraSpacesAway) {
  EXPECT_EQ(WithoutExtraSpaces("  a  b \n\tc "), "a b\tc");
  EXPECT_EQ(WithoutExtraSpaces(" \n "), "");
  EXPECT_EQ(WithoutExtraSpaces("ab"), "ab");
  EXPECT_EQ(WithoutExtraSpaces("a\n b"), "a b");
}

TEST(AbslMatch, IgnoresCase) {
  EXPECT_TRUE(absl::StartsWithIgnoreCase("Prefix", "pRE"));
  EXPECT_FALSE(absl::StartsWithIgnoreCase("Pre", "prefix"));
  EXPECT_TRUE(absl::EndsWithIgnoreCase("file.CC", ".cc"));
  EXPECT_FALSE(absl::EndsWithIgnoreCase("cc", ".cc"));
  EXPECT_TRUE(absl::StrContains("a.b", '.'));
}

TEST(AbslStrip, TakesEndsAway) {
  absl::string_view text = "name.cc";
  EXPECT_FALSE(absl::ConsumeSuffix(&text, ".h"));
  EXPECT_TRUE(absl::ConsumeSuffix(&text, ".cc"));
  EXPECT_EQ(text, "name");
  EXPECT_FALSE(absl::ConsumePrefix(&text, "games"));
}

TEST(AbslStringView, IsSafe) {
  EXPECT_EQ(absl::ClippedSubstr("abc", 1), "bc");
  EXPECT_EQ(absl::ClippedSubstr("abc", 7), "");
  EXPECT_EQ(absl::ClippedSubstr("abc", 1, 1), "b");
  EXPECT_EQ(absl::NullSafeStringView(nullptr).size(), 0u);
  EXPECT_EQ(absl::NullSafeStringView("a"), "a");
}

TEST(AbslNumbers, ReadsHexadecimalNumbers) {
  uint32_t number = 0;
  int64_t wide = 0;
  EXPECT_TRUE(absl::SimpleHexAtoi(" 0xFf ", &number));
  EXPECT_EQ(number, 255u);
  EXPECT_TRUE(absl::SimpleHexAtoi("-a", &wide));
  EXPECT_EQ(wide, -10);
  EXPECT_TRUE(absl::SimpleHexAtoi("-0xb", &wide));
  EXPECT_EQ(wide, -11);
  EXPECT_FALSE(absl::SimpleHexAtoi("0x-b", &wide));
  EXPECT_FALSE(absl::SimpleHexAtoi("0x", &number));
  EXPECT_FALSE(absl::SimpleHexAtoi("g", &number));
  EXPECT_FALSE(absl::SimpleHexAtoi("100000000", &number));
}

TEST(AbslNumbers, RefusesWhatIsNone) {
  int32_t number = 0;
  uint32_t natural = 0;
  EXPECT_TRUE(absl::SimpleAtoi("+7", &number));
  EXPECT_EQ(number, 7);
  EXPECT_FALSE(absl::SimpleAtoi("+-7", &number));
  EXPECT_FALSE(absl::SimpleAtoi("7 7", &number));
  EXPECT_FALSE(absl::SimpleAtoi("0x7", &number));
  EXPECT_FALSE(absl::SimpleAtoi("-1", &natural));
  EXPECT_FALSE(absl::SimpleAtoi("+", &number));
}

TEST(AbslNumbers, ReadsRealNumbers) {
  double d = 0;
  float f = 0;
  EXPECT_TRUE(absl::SimpleAtod(" +2.5 ", &d));
  EXPECT_EQ(d, 2.5);
  EXPECT_TRUE(absl::SimpleAtod("-inf", &d));
  EXPECT_EQ(d, -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(absl::SimpleAtod("nan", &d));
  EXPECT_NE(d, d);
  EXPECT_TRUE(absl::SimpleAtod("1e999", &d));
  EXPECT_EQ(d, std::numeric_limits<double>::infinity());
  EXPECT_TRUE(absl::SimpleAtof("1e-60", &f));
  EXPECT_EQ(f, 0);
  EXPECT_TRUE(absl::SimpleAtod("-0x1p3", &d));
  EXPECT_EQ(d, -8);
  EXPECT_FALSE(absl::SimpleAtod("0x", &d));
  EXPECT_FALSE(absl::SimpleAtod("+-1", &d));
  EXPECT_FALSE(absl::SimpleAtod("", &d));
  EXPECT_FALSE(absl::SimpleAtof("1,5", &f));
}

TEST(AbslNumbers, ReadsYesAndNo) {
  bool flag = false;
  for (const char* yes : {"true", "T", "yes", "Y", "1"}) {
    EXPECT_TRUE(absl::SimpleAtob(yes, &flag) && flag) << yes;
  }
  for (const char* no : {"False", "f", "NO", "n", "0"}) {
    EXPECT_TRUE(absl::SimpleAtob(no, &flag) && !flag) << no;
  }
  EXPECT_FALSE(absl::SimpleAtob("on", &flag));
}

}  // namespace
