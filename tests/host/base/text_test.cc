// tests/host/base/text_test.cc: characters in UTF-8, bytes as base64 and hashes, decimal numbers, and text for people.
// SPDX-License-Identifier: Apache-2.0
#include "host/base/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "host/base/display_text.h"

namespace opsrun::host {
namespace {

std::string Encoded(uint32_t code) {
  std::string text;
  AppendUtf8(code, &text);
  return text;
}

TEST(Utf8, ReadsWhatItWrites) {
  for (const uint32_t code : {0u, 0x7Fu, 0x80u, 0x7FFu, 0x800u, 0xD7FFu, 0xE000u, 0xFFFFu, 0x10000u, 0x10FFFFu}) {
    const Utf8Character c = DecodeUtf8(Encoded(code) + "after");
    EXPECT_EQ(c.code, code);
    EXPECT_EQ(c.size, Encoded(code).size());
  }
  EXPECT_EQ(Encoded(0xE9), "\xc3\xa9");
}

TEST(Utf8, RefusesWhatIsNoCharacter) {
  for (const char* text : {"\x80", "\xc0\xaf", "\xc3", "\xc3(", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
                           "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", ""}) {
    EXPECT_EQ(DecodeUtf8(text).size, 0u) << text;
    EXPECT_EQ(IsUtf8(std::string("a") + text), *text == '\0') << text;
  }
  EXPECT_TRUE(IsUtf8("") && IsUtf8("naïve 日本 🎈"));
}

// The examples of RFC 4648, section 10.
TEST(Base64, WritesGroupsOfFour) {
  for (const auto& [bytes, text] :
       {std::pair("", ""), std::pair("f", "Zg=="), std::pair("fo", "Zm8="), std::pair("foo", "Zm9v"),
        std::pair("foob", "Zm9vYg=="), std::pair("\xff\xfe", "//4=")})
    EXPECT_EQ(EncodeBase64(bytes), text);
}

TEST(Base64, ReadsWhatItWritesAndSkipsBlanks) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(*DecodeBase64(EncodeBase64(bytes)), bytes);
    bytes += static_cast<char>(i);
  }
  EXPECT_EQ(*DecodeBase64(" Zm9v\r\n Y g =\t= "), "foob");
  EXPECT_EQ(*DecodeBase64(" \n"), "");
}

TEST(Base64, SaysWhatIsWrong) {
  const auto why = [](std::string_view text) { return DecodeBase64(text).status().message(); };
  EXPECT_EQ(why("*"), "invalid base64 at the beginning");
  EXPECT_EQ(why("Zm9v-Zm8"), "invalid base64 after 4 characters");
  EXPECT_EQ(why("Zg==Zg=="), "invalid base64 after 2 characters");
  for (const char* text : {"Z", "Zg", "Zg=", "Zg===", "Zm8", "Zm9v=", "===="})
    EXPECT_EQ(why(text), "invalid base64: the last group of four characters is incomplete") << text;
  for (const char* text : {"Zh==", "Zm9="})
    EXPECT_EQ(why(text), "invalid base64: the last character has unused bits that are not zero") << text;
}

TEST(ContentHash, IsThatOfTheWhole) {  // the published test values of FNV-1a with 64 bits
  EXPECT_EQ(HashOf(""), 0xcbf29ce484222325u);
  EXPECT_EQ(HashOf("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(HashOf("foobar"), 0x85944171f73967e8u);
  ContentHash hash;
  for (const char* part : {"foo", "", "bar"}) hash.Add(part);
  EXPECT_EQ(hash.value(), HashOf("foobar"));
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(DecimalText, IsWhatYamlCallsANumber) {
  for (const char* text :
       {"0", "-1", "+1", "1.", ".5", "-.5", "1e3", "1.5E-7", "1.e+3", "007", "1e99999999999999999999"})
    EXPECT_TRUE(IsDecimalText(text)) << text;
  for (const char* text :
       {"", ".", "-", "e3", "1e", "1e+", "1.5.2", "1 ", " 1", "0x1", "inf", ".inf", "nan", "1_0", "--1", "1,5"})
    EXPECT_FALSE(IsDecimalText(text)) << text;
}

TEST(NearestDouble, RoundsOnceAndTellsTooLargeFromTooSmall) {
  EXPECT_EQ(NearestDouble("0.1"), 0.1);
  EXPECT_EQ(NearestDouble("+9007199254740993"), 9007199254740992.0);
  EXPECT_EQ(NearestDouble("9007199254740993.0000000000000000000001"), 9007199254740994.0);
  EXPECT_EQ(NearestDouble("5e-324"), std::numeric_limits<double>::denorm_min());
  const std::string large(400, '9'), small = "0." + std::string(400, '0') + "1";
  for (const char* text : {"1e999", "0.001e99999999999999999999", large.c_str()})
    EXPECT_EQ(NearestDouble(text), kInfinity) << text;
  EXPECT_EQ(NearestDouble("-1.5e999"), -kInfinity);
  for (const char* text : {"1.5e-999", "1000e-99999999999999999999", small.c_str(), "-1e-999", "0e999"})
    EXPECT_EQ(NearestDouble(text), 0) << text;
  for (const char* text : {"-0", "-1e-999"}) EXPECT_TRUE(std::signbit(NearestDouble(text))) << text;
}

TEST(CompareMagnitudes, SeesTheLastDigit) {
  EXPECT_EQ(CompareMagnitudes("-1.5", 1.5), 0);
  EXPECT_EQ(CompareMagnitudes("0150.0e-2", -1.5), 0);
  EXPECT_LT(CompareMagnitudes("1.4999999999999999999999999999", 1.5), 0);
  EXPECT_GT(CompareMagnitudes("1.5000000000000000000000000001", 1.5), 0);
  EXPECT_LT(CompareMagnitudes("9", 10), 0);
  EXPECT_GT(CompareMagnitudes("1e-400", 0), 0);
  EXPECT_EQ(CompareMagnitudes("0.000", 0), 0);
  EXPECT_LT(CompareMagnitudes("0", 5e-324), 0);
  const double least = std::numeric_limits<double>::denorm_min();  // 751 digits
  EXPECT_GT(CompareMagnitudes("4.9406564584124655e-324", least), 0);
  EXPECT_LT(CompareMagnitudes("4.9406564584124654e-324", least), 0);
}

TEST(NumberText, HasThreeDigitsAndAUnit) {
  for (const auto& [ns, text] :
       {std::pair(0.0, "0.00 ns"), std::pair(9.996, "10.0 ns"), std::pair(999.4, "999 ns"), std::pair(999.7, "1.00 us"),
        std::pair(45'600'000.0, "45.6 ms"), std::pair(7.2e12, "7200 s")})
    EXPECT_EQ(DurationText(ns), text);
  EXPECT_EQ(CountText(17), "17");
  EXPECT_EQ(CountText(1.5), "1.5");
  EXPECT_EQ(CountText(999.4), "999");
  EXPECT_EQ(CountText(123'456), "123 k");
  EXPECT_EQ(BytesText(1023), "1023 B");
  EXPECT_EQ(BytesText(1536), "1.50 KiB");
  EXPECT_EQ(BytesText(1023 * 1024), "1023 KiB");
  EXPECT_EQ(BandwidthText(3.21e9), "3.21 GB/s");
  EXPECT_EQ(ShareText(0.1234), "12.3 %");
  EXPECT_EQ(Several(1, "run") + ", " + Several(0, "node"), "1 run, 0 nodes");
}

TEST(TextTable, AlignsColumnsAndLeavesNoBlanksAtTheEnd) {
  using enum TextTable::Align;
  TextTable table({{"node", kLeft}, {"time"}, {"op", kLeft}});
  table.Add({"z", "12 ns", "ZeroOut"});
  table.Add({"longer", "1 ns"});
  EXPECT_EQ(table.Text(), "node     time  op\nz       12 ns  ZeroOut\nlonger   1 ns\n");
}

using Names = std::vector<std::string>;

TEST(NearNames, FindsOneSlipInThreeLettersButNotInShortOrEndlessWords) {
  const Names names = {"ZeroOut", "Pad"};
  for (const char* near : {"ZeroOt", "ZeroOutt", "ZeraOut", "ZEROOUT"})
    EXPECT_EQ(NearNames(near, names), Names{"ZeroOut"}) << near;
  EXPECT_EQ(NearNames("pda", {"pad"}), Names{"pad"}) << "exchanged neighbors count once";
  EXPECT_EQ(NearNames("preserveIndex", {"preserve_index"}), Names{"preserve_index"});
  EXPECT_EQ(NearNames("abcdef", {"abxdxf"}), Names{"abxdxf"});
  EXPECT_EQ(NearNames("abcdef", {"axxdxf"}), Names{});
  EXPECT_EQ(NearNames("", {"a"}), Names{});
  EXPECT_EQ(NearNames("ab", {"cd"}), Names{});
  EXPECT_EQ(NearNames("x", {"y", "xx"}), Names{"xx"}) << "a word of one letter is no slip of any other letter";
  EXPECT_EQ(NearNames(std::string(100000, 'a'), {std::string(100000, 'a')}), Names{});
}

TEST(NearNames, PutsTheNearestFirstOnceEachAndStopsAtThree) {
  EXPECT_EQ(NearNames("inputs", {"input_x", "inputs1", "inputs", "inputsx", "inpux"}),
            (Names{"inputs", "inputs1", "inputsx"}));
  EXPECT_EQ(NearNames("pax", {"pad", "pad"}), Names{"pad"});
}

TEST(DidYouMean, AsksForTheNearOnesOrListsWhatThereIs) {
  EXPECT_EQ(DidYouMean("pax", {"pad", "Conv"}, "ops"), "did you mean 'pad'?");
  EXPECT_EQ(DidYouMean("pax", {"pad", "paw"}, "ops"), "did you mean 'pad' or 'paw'?");
  EXPECT_EQ(DidYouMean("pax", {"pad", "paw", "pan"}, "ops"), "did you mean 'pad', 'paw' or 'pan'?");
  EXPECT_EQ(DidYouMean("Conv", {"Pad", "ZeroOut"}, "ops"), "ops: Pad, ZeroOut");
  EXPECT_EQ(DidYouMean("x", {}, "attrs"), "there are no attrs");
  const std::string cut = DidYouMean("x", Names(15, "something"), "ops");
  EXPECT_TRUE(cut.ends_with("something and 3 more")) << cut;
}

}  // namespace

}  // namespace opsrun::host
