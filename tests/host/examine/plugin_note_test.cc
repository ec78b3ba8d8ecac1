// tests/host/examine/plugin_note_test.cc: what may be printed.
// SPDX-License-Identifier: Apache-2.0
#include "host/examine/plugin_note.h"

#include <gtest/gtest.h>

namespace opsrun::host {
namespace {

TEST(IsPlainText, TakesUtf8AndLineBreaks) {
  for (const char* text : {"", "two\n\tlines", "\xC3\xA4 \xE2\x82\xAC \xF0\x9F\x98\x80"})
    EXPECT_TRUE(IsPlainText(text)) << text;
  for (const char* text : {"\x1B[2J", "\x7F", "\xC2\x80", "\xFF", "\xC3", "\xC0\xAF", "\xE0\x80\x80", "\xED\xA0\x80",
                           "\xF4\x90\x80\x80", "a\xE2\x82"})
    EXPECT_FALSE(IsPlainText(text)) << text;
  EXPECT_FALSE(IsPlainText(std::string_view("a\0b", 3)));
  EXPECT_TRUE(IsPlainName("Acme>Blur"));
  for (const char* name : {"", "two\nlines"}) EXPECT_FALSE(IsPlainName(name)) << name;
}

}  // namespace
}  // namespace opsrun::host
