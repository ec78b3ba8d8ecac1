// tests/host/show/error_pages_test.cc: what explain says of a code; names and texts of generated code.
// SPDX-License-Identifier: Apache-2.0
#include "host/show/error_pages.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "host/show/wrap/attr_code.h"
#include "host/show/wrap/cpp_header.h"

namespace opsrun::host {
namespace {

using Json = nlohmann::json;

// The blocks of a page are what it shows of a graph and of what is printed.
TEST(ErrorPages, SayWhatTheTableOfCodesSays) {
  ASSERT_EQ(ErrorPages().size(), std::size(kCodes));
  for (size_t i = 0; i < std::size(kCodes); ++i) {
    const std::string page(ErrorPages()[i].markdown);
    EXPECT_TRUE(page.starts_with(fmt::format("# {}: {}\n", kCodes[i].text, kCodes[i].title))) << page;
    const bool by_signal = kCodes[i].exit == kExitSignal;
    EXPECT_NE(page.find(by_signal ? "\nExit code: 1" : fmt::format("\nExit code: {}", int{kCodes[i].exit})), page.npos)
        << page;
    const Json json = Json::parse(PageJson(ErrorPages()[i]));
    EXPECT_EQ(json["title"].get<std::string>(), kCodes[i].title);
    for (const auto& [key, block] : {std::pair("graph", "```yaml\n"), std::pair("prints", "```console\n")}) {
      const std::string text = json[key].is_null() ? "" : block + json[key].get<std::string>() + "```";
      EXPECT_NE(page.find(text), page.npos) << page;
      EXPECT_EQ(text.empty(), page.find(block) == page.npos) << page;
    }
  }
  EXPECT_EQ(Json::parse(CodesJson())[0]["code"].get<std::string>(), kCodes[0].text);
}

TEST(ErrorPages, TellCodesFromOps) {
  for (const char* word : {"G204", "g1", "E12345"}) EXPECT_TRUE(LooksLikeCode(word)) << word;
  for (const char* word : {"", "G", "Pad", "Pad2", "2044", "G20x", "G1234567"})
    EXPECT_FALSE(LooksLikeCode(word)) << word;
}

// tests/wrap/hostile.cc has what generated code must survive.
TEST(Identifier, ReplacesWhatNoIdentifierHas) {
  EXPECT_EQ(Identifier("my-ops.v2"), "my_ops_v2");
  EXPECT_EQ(Identifier("2d"), "n2d");
  EXPECT_EQ(Identifier(""), "n");
}

TEST(IsCppNamespace, RefusesWhatIsNotTheUsers) {
  EXPECT_TRUE(IsCppNamespace("ops"));
  EXPECT_TRUE(IsCppNamespace("my::ops"));
  for (const char* const wrong :
       {"", "::ops", "ops::", "my:ops", "a b", "2d", "std", "std::ops", "class", "opsrun::embed"}) {
    EXPECT_FALSE(IsCppNamespace(wrong)) << wrong;
  }
}

TEST(PythonQuote, CannotEndEarly) {
  EXPECT_EQ(PythonQuote("a\"b\\c"), R"("a\"b\\c")");
  EXPECT_EQ(PythonQuote("\n\x7F\xC3\xA9\xFF"), "\"\\x0a\\x7f\xC3\xA9\xEF\xBF\xBD\"");
}

TEST(MadeBy, IsOneLine) {
  const std::string text = MadeBy({{"a", "1\nimport os\r#", {}}, {"b", "", {}}});
  EXPECT_EQ(text, "opsrun wrap of opsrun " OPSRUN_VERSION ", from plugin 'a' 1 import os #, plugin 'b'");
}

TEST(Fill, BreaksBetweenWords) {
  EXPECT_EQ(Fill("aa  bb\tcc", {6, 1, 2}), " aa bb\n  cc");
  EXPECT_EQ(Fill("\xC3\xA9\xC3\xA9 bb", {5, 0, 0}), "\xC3\xA9\xC3\xA9 bb") << "columns are characters";
  EXPECT_EQ(Fill("aaaaaaaa bb", {4, 0, 1}), "aaaaaaaa\n bb");
  EXPECT_EQ(Fill("", {4, 2, 0}), "  ");
}

}  // namespace
}  // namespace opsrun::host
