// SPDX-License-Identifier: Apache-2.0
#include "host/base/characters.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace opsrun::host
