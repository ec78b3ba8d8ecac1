// compat/tests/absl/text_test.cc: characters, prefixes and numbers in text.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "every_absl_header.h"

namespace {

// The numbers of characters of kinds.
template <typename... Is>
std::vector<int> CountsOf(Is... is) {
  std::vector<int> counts(sizeof...(Is));
  for (int c = 0; c < 256; ++c) {
    size_t i = 0;
    ((counts[i++] += is(static_cast<unsigned char>(c)) ? 1 : 0), ...);
  }
  return counts;
}

TEST(AbslAscii, HasKindsOfCharacters) {
  EXPECT_EQ(CountsOf(absl::ascii_isdigit, absl::ascii_islower, absl::ascii_isupper, absl::ascii_isalpha,
                     absl::ascii_isalnum, absl::ascii_isspace, absl::ascii_isblank, absl::ascii_iscntrl),
            (std::vector<int>{10, 26, 26, 52, 62, 6, 2, 33}));
  EXPECT_EQ(CountsOf(absl::ascii_isprint, absl::ascii_isgraph, absl::ascii_ispunct, absl::ascii_isxdigit,
                     absl::ascii_isascii),
            (std::vector<int>{95, 94, 32, 22, 128}));
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
  EXPECT_EQ(absl::AsciiStrToUpper("aB1") + absl::AsciiStrToLower("aB1"), "AB1ab1");
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
  EXPECT_EQ(absl::StripAsciiWhitespace(" \t x y\n"), "x y");
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
  EXPECT_TRUE(absl::StrContains("haystack", "st"));
  EXPECT_TRUE(absl::StartsWith("prefix", "pre"));
  EXPECT_FALSE(absl::EndsWith("fix", "suffix"));
  EXPECT_TRUE(absl::EqualsIgnoreCase("AbC", "aBc"));
}

TEST(AbslStrip, TakesEndsAway) {
  absl::string_view text = "name.cc";
  EXPECT_FALSE(absl::ConsumeSuffix(&text, ".h"));
  EXPECT_TRUE(absl::ConsumeSuffix(&text, ".cc"));
  EXPECT_EQ(text, "name");
  EXPECT_FALSE(absl::ConsumePrefix(&text, "games"));
  EXPECT_TRUE(absl::ConsumePrefix(&text, "na"));
  EXPECT_EQ(absl::StripPrefix(text, "m"), "e");
  EXPECT_EQ(absl::StripSuffix("a.cc", ".cc"), "a");
}

TEST(AbslStringView, IsSafe) {
  EXPECT_EQ(absl::ClippedSubstr("abc", 1), "bc");
  EXPECT_EQ(absl::ClippedSubstr("abc", 7), "");
  EXPECT_EQ(absl::ClippedSubstr("abc", 1, 1), "b");
  EXPECT_EQ(absl::NullSafeStringView(nullptr).size(), 0u);
  EXPECT_EQ(absl::NullSafeStringView("a"), "a");
}

// What a function reads from a text; nothing if it refuses the text.
template <typename T>
std::optional<T> Read(bool (*read)(absl::string_view, T*), absl::string_view text) {
  T value{};
  return read(text, &value) ? std::optional<T>(value) : std::nullopt;
}

TEST(AbslNumbers, ReadsHexadecimalNumbers) {
  EXPECT_EQ(Read<uint32_t>(absl::SimpleHexAtoi, " 0xFf "), 255u);
  EXPECT_EQ(Read<int64_t>(absl::SimpleHexAtoi, "-a"), -10);
  EXPECT_EQ(Read<int64_t>(absl::SimpleHexAtoi, "-0xb"), -11);
  EXPECT_EQ(Read<int64_t>(absl::SimpleHexAtoi, "0x-b"), std::nullopt);
  for (const char* bad : {"0x", "g", "100000000"}) {
    EXPECT_EQ(Read<uint32_t>(absl::SimpleHexAtoi, bad), std::nullopt) << bad;
  }
}

TEST(AbslNumbers, RefusesWhatIsNone) {
  EXPECT_EQ(Read<int32_t>(absl::SimpleAtoi, "+7"), 7);
  EXPECT_EQ(Read<int32_t>(absl::SimpleAtoi, " 42 "), 42);
  for (const char* bad : {"+-7", "7 7", "0x7", "+", "4294967296", "12x", ""}) {
    EXPECT_EQ(Read<int32_t>(absl::SimpleAtoi, bad), std::nullopt) << bad;
  }
  EXPECT_EQ(Read<uint32_t>(absl::SimpleAtoi, "-1"), std::nullopt);
}

TEST(AbslNumbers, ReadsRealNumbers) {
  EXPECT_EQ(Read<double>(absl::SimpleAtod, " +2.5 "), 2.5);
  EXPECT_EQ(Read<double>(absl::SimpleAtod, "-inf"), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(Read<double>(absl::SimpleAtod, "nan").value_or(0)));
  EXPECT_EQ(Read<double>(absl::SimpleAtod, "1e999"), std::numeric_limits<double>::infinity());
  EXPECT_EQ(Read<float>(absl::SimpleAtof, "1e-60"), 0);
  EXPECT_EQ(Read<double>(absl::SimpleAtod, "-0x1p3"), -8);
  for (const char* bad : {"0x", "+-1", ""}) EXPECT_EQ(Read<double>(absl::SimpleAtod, bad), std::nullopt) << bad;
  EXPECT_EQ(Read<float>(absl::SimpleAtof, "1,5"), std::nullopt);
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

typedef std::vector<std::string> Pieces;

TEST(AbslStrCat, PadsWithZeros) {
  size_t width = 2;
  for (const absl::PadSpec pad :
       {absl::kZeroPad2, absl::kZeroPad3, absl::kZeroPad4, absl::kZeroPad5, absl::kZeroPad6, absl::kZeroPad7,
        absl::kZeroPad8, absl::kZeroPad9, absl::kZeroPad10, absl::kZeroPad11, absl::kZeroPad12, absl::kZeroPad13,
        absl::kZeroPad14, absl::kZeroPad15, absl::kZeroPad16}) {
    EXPECT_EQ(absl::StrCat(absl::Hex(10, pad)), std::string(width - 1, '0') + "a");
    ++width;
  }
  for (const absl::PadSpec pad : {absl::kZeroPad17, absl::kZeroPad18, absl::kZeroPad19, absl::kZeroPad20}) {
    EXPECT_EQ(absl::StrCat(absl::Dec(-7, pad)), "-" + std::string(width - 2, '0') + "7");
    ++width;
  }
  EXPECT_EQ(absl::StrCat(absl::Hex(10, absl::kNoPad)), "a");
}

TEST(AbslStrCat, PadsWithSpaces) {
  size_t width = 2;
  for (const absl::PadSpec pad :
       {absl::kSpacePad2, absl::kSpacePad3, absl::kSpacePad4, absl::kSpacePad5, absl::kSpacePad6, absl::kSpacePad7,
        absl::kSpacePad8, absl::kSpacePad9, absl::kSpacePad10, absl::kSpacePad11, absl::kSpacePad12, absl::kSpacePad13,
        absl::kSpacePad14, absl::kSpacePad15, absl::kSpacePad16, absl::kSpacePad17, absl::kSpacePad18,
        absl::kSpacePad19, absl::kSpacePad20}) {
    EXPECT_EQ(absl::StrCat(absl::Dec(7, pad)), std::string(width - 1, ' ') + "7");
    ++width;
  }
  EXPECT_EQ(absl::StrCat(absl::Hex(int8_t{-1})), "ff");
  EXPECT_EQ(absl::StrCat(absl::Dec(uint64_t{18446744073709551615u})), "18446744073709551615");
}

std::string Twice(const absl::AlphaNum& value) {
  return std::string(value.data(), value.size()) + std::string(value.Piece());
}

TEST(AbslAlphaNum, TakesTextAndNumbers) {
  EXPECT_EQ(Twice(12), "1212");
  EXPECT_EQ(Twice("ab"), "abab");
  EXPECT_EQ(Twice(std::string("x")), "xx");
  EXPECT_EQ(Twice(0.1), "0.10.1");
  EXPECT_EQ(Twice(absl::Hex(255)), "ffff");
}

TEST(AbslStrCat, WritesNumbers) {
  EXPECT_EQ(absl::StrCat(1e100, " ", 1.0f / 3, " ", 1e6, " ", 123456789.0), "1e+100 0.333333 1e+06 1.23457e+08");
  EXPECT_EQ(absl::StrCat(true, false, -0.0), "10-0");
  EXPECT_EQ(absl::StrCat(std::numeric_limits<int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(absl::StrCat("a", 1, "-", 2.5, std::string("b"), absl::string_view("c"), 7u, -1LL), "a1-2.5bc7-1");
  std::string text = "x";
  absl::StrAppend(&text, absl::StrCat(), "=", absl::Hex(255), " ", absl::Dec(7, absl::kSpacePad3));
  EXPECT_EQ(text, "x=ff   7");
}

TEST(AbslStrSplit, FindsDelimiters) {
  const absl::string_view text = "a--b-c";
  EXPECT_EQ(absl::ByString("--").Find(text, 0).data(), text.data() + 1);
  EXPECT_EQ(absl::ByString("--").Find(text, 2).size(), 0u);
  EXPECT_EQ(absl::ByChar('-').Find(text, 2).data(), text.data() + 2);
  EXPECT_EQ(absl::ByAnyChar("cb").Find(text, 0), "b");
  EXPECT_EQ(absl::ByAnyChar("xy").Find(text, 0).data(), text.data() + text.size());
}

TEST(AbslStrSplit, CutsAtAnyDelimiter) {
  EXPECT_EQ(Pieces(absl::StrSplit("abc", "")), (Pieces{"a", "b", "c"}));
  EXPECT_EQ(Pieces(absl::StrSplit("a,,b", absl::ByChar(','), absl::AllowEmpty())), (Pieces{"a", "", "b"}));
  EXPECT_EQ(Pieces(absl::StrSplit("a, b", absl::ByString(", "))), (Pieces{"a", "b"}));
  EXPECT_EQ(Pieces(absl::StrSplit("a,b,c", absl::MaxSplits(",", 1))), (Pieces{"a", "b,c"}));
  EXPECT_EQ(Pieces(absl::StrSplit("a,b", ',', [](absl::string_view piece) { return piece != "a"; })), (Pieces{"b"}));
  EXPECT_EQ(Pieces(absl::StrSplit(absl::string_view(), ',', absl::SkipEmpty())), Pieces());
  const std::map<std::string, std::string> map = absl::StrSplit("a,1,b,2,c", ',');
  EXPECT_EQ(map, (std::map<std::string, std::string>{{"a", "1"}, {"b", "2"}, {"c", ""}}));
  EXPECT_EQ(Pieces(absl::StrSplit("a b\tc", absl::ByAnyChar(" \t"))), (Pieces{"a", "b", "c"}));
  EXPECT_EQ(Pieces(absl::StrSplit("a::b", "::")), (Pieces{"a", "b"}));
  EXPECT_EQ(Pieces(absl::StrSplit(" a , , b", ',', absl::SkipWhitespace())), (Pieces{" a ", " b"}));
  EXPECT_EQ(Pieces(absl::StrSplit("", ',')), Pieces{""});
  const std::vector<absl::string_view> kept = absl::StrSplit("a, b,,", ',', absl::SkipEmpty());
  EXPECT_EQ(kept.size(), 2u);
  const std::set<std::string> words = absl::StrSplit("x y x", ' ');
  EXPECT_EQ(words.size(), 2u);
  const std::pair<std::string, std::string> pair = absl::StrSplit("key=value=more", absl::MaxSplits('=', 1));
  EXPECT_EQ(pair.second, "value=more");
  std::string all;
  for (const absl::string_view part : absl::StrSplit("1.2.3", '.')) absl::StrAppend(&all, part);
  EXPECT_EQ(all, "123");
}

// A delimiter that a source defines: a digit.
struct AtDigit {
  absl::string_view Find(absl::string_view text, size_t from) const {
    const size_t at = text.find_first_of("0123456789", from);
    return at == absl::string_view::npos ? text.substr(text.size()) : text.substr(at, 1);
  }
};

TEST(AbslStrSplit, TakesDelimitersOfSources) {
  EXPECT_EQ(Pieces(absl::StrSplit("a1b2", AtDigit())), (Pieces{"a", "b", ""}));
}

TEST(AbslStrJoin, FormatsElements) {
  const std::map<std::string, double> map = {{"a", 0.5}, {"b", 2}};
  const auto percent = [](std::string* out, double value) { absl::StrAppend(out, value * 100, "%"); };
  EXPECT_EQ(absl::StrJoin(map, " ", absl::PairFormatter(absl::AlphaNumFormatter(), ":", percent)), "a:50% b:200%");
  EXPECT_EQ(absl::StrJoin(std::make_tuple(1, "b", 2.5), "-"), "1-b-2.5");
  EXPECT_EQ(absl::StrJoin(std::make_tuple("", 1), "-"), "-1");
  const Pieces words = {"x", "y"};
  EXPECT_EQ(absl::StrJoin(words.begin(), words.end(), ""), "xy");
  EXPECT_EQ(absl::StrJoin(std::vector<int>{1, 2, 3}, ", "), "1, 2, 3");
  EXPECT_EQ(absl::StrJoin({"a", "b"}, "-"), "a-b");
  EXPECT_EQ(absl::StrJoin(Pieces(), "-"), "");
  EXPECT_EQ(absl::StrJoin(map, ";", absl::PairFormatter("=")), "a=0.5;b=2");
  EXPECT_EQ(absl::StrJoin(std::vector<int>{1, 2}, "+", [](std::string* out, int i) { absl::StrAppend(out, i * i); }),
            "1+4");
}

TEST(AbslFormat, AppendsAndPrints) {
  std::string text = "n";
  absl::StrAppendFormat(&text, "=%03d", 7);
  EXPECT_EQ(text, "n=007");
  testing::internal::CaptureStdout();
  EXPECT_EQ(absl::PrintF("%s|%d\n", "a", 1), 4);
  EXPECT_EQ(absl::FPrintF(stdout, "%x", 255), 2);
  fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "a|1\nff");
}

// A wrapper as sources write it.
template <typename... Arguments>
std::string Message(const absl::FormatSpec<Arguments...>& format, const Arguments&... arguments) {
  return absl::StrFormat(format, arguments...) + "!";
}

TEST(AbslFormat, IsWrapped) {
  EXPECT_EQ(Message("%d of %s", 3, std::string("five")), "3 of five!");
}

TEST(AbslFormat, HasAllConversions) {
  EXPECT_EQ(absl::StrFormat("%5s|%-5s|%.2s", "ab", "ab", "abc"), "   ab|ab   |ab");
  EXPECT_EQ(absl::StrFormat("%i %o %X %#x", -3, 8, 255, 255), "-3 10 FF 0xff");
  EXPECT_EQ(absl::StrFormat("%e %g %G %a", 12.5, 1e-10, 1e20, 1.0), "1.250000e+01 1e-10 1E+20 0x1p+0");
  EXPECT_EQ(absl::StrFormat("%zu %lld %hhd", size_t{3}, 4LL, 5), "3 4 5");
  EXPECT_EQ(absl::StrFormat("%s", std::string("a\0b", 3)).size(), 3u);
  EXPECT_EQ(absl::StrFormat("%d%%", 50), "50%");
  EXPECT_EQ(absl::StrFormat("%2$s %1$s", "a", "b"), "b a");
  EXPECT_EQ(absl::StrFormat("%d items, %5.2f|%x", 3, 2.5, 255), "3 items,  2.50|ff");
  EXPECT_EQ(absl::StrFormat("%05d %+d %c %s", 42, 7, 'z', absl::string_view("view")), "00042 +7 z view");
  EXPECT_EQ(absl::StrFormat("%*d|%.*f", 4, 7, 1, 2.25), "   7|2.2");
  EXPECT_EQ(absl::StrFormat("%d %u %ld", int64_t{1} << 40, 7u, 8L), "1099511627776 7 8");
}

TEST(AbslReplace, TakesTheLongestWord) {
  std::string text = "abc";
  EXPECT_EQ(absl::StrReplaceAll({{"a", "1"}, {"ab", "2"}}, &text), 1);
  EXPECT_EQ(text, "2c");
  const std::vector<std::pair<std::string, std::string>> pairs = {{"2", "22"}};
  EXPECT_EQ(absl::StrReplaceAll("2c", pairs), "22c");
  EXPECT_EQ(absl::StrReplaceAll("a<b>", {{"<", "&lt;"}, {">", "&gt;"}}), "a&lt;b&gt;");
}

TEST(AbslSubstitute, Appends) {
  std::string text = "a";
  absl::SubstituteAndAppend(&text, "-$0$0-$1", 1, true);
  EXPECT_EQ(text, "a-11-true");
  EXPECT_EQ(absl::Substitute("$1 and $0, $$", "x", 2), "2 and x, $");
}

TEST(AbslEscaping, ReadsAndWrites) {
  EXPECT_EQ(absl::CEscape("'\\\t\r\xff"), "\\'\\\\\\t\\r\\377");
  EXPECT_EQ(absl::Base64Escape(""), "");
  EXPECT_EQ(absl::Base64Escape("a\xff"), "Yf8=");
  EXPECT_EQ(absl::HexStringToBytes("00fF"), std::string("\0\xff", 2));
  EXPECT_EQ(absl::CEscape("a\n\"\x01"), "a\\n\\\"\\001");
  EXPECT_EQ(absl::BytesToHexString("\x01\xff"), "01ff");
}

}  // namespace
