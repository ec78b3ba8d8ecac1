// tests/host/base/characters_test.cc: characters in UTF-8, and bytes as base64 and hashes.
// SPDX-License-Identifier: Apache-2.0
#include "host/base/characters.h"

#include <gtest/gtest.h>

#include "host/base/bytes_as_text.h"

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

}  // namespace
}  // namespace opsrun::host
