// tests/host/show/error_pages_test.cc: what explain says of a code; names and texts of generated code.
// SPDX-License-Identifier: Apache-2.0
#include "host/show/error_pages.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iterator>

#include "host/show/wrap/attr_code.h"
#include "host/show/wrap/cpp_header.h"

namespace opsrun::host {
namespace {

constexpr ErrorPage kPage{"G204", R"(# G204: nothing has the name `x`

Words, `in: x`.

Exit code: 3.

## Example

<!-- plugins: test -->

```yaml
opsrun: 1

x: `
```

```console
$ opsrun check
error
```
)"};

TEST(ErrorPages, SayWhatTheTableOfCodesSays) {
  ASSERT_EQ(ErrorPages().size(), std::size(kCodes));
  for (size_t i = 0; i < std::size(kCodes); ++i) {
    const std::string page(ErrorPages()[i].markdown);
    EXPECT_TRUE(page.starts_with(fmt::format("# {}: {}\n", kCodes[i].text, kCodes[i].title))) << page;
    const bool by_signal = kCodes[i].exit == kExitSignal;
    EXPECT_NE(page.find(by_signal ? "\nExit code: 1" : fmt::format("\nExit code: {}", int{kCodes[i].exit})), page.npos)
        << page;
  }
}

TEST(ErrorPages, TellCodesFromOps) {
  for (const char* word : {"G204", "g1", "E12345"}) EXPECT_TRUE(LooksLikeCode(word)) << word;
  for (const char* word : {"", "G", "Pad", "Pad2", "2044", "G20x", "G1234567"})
    EXPECT_FALSE(LooksLikeCode(word)) << word;
}

TEST(ErrorPages, AreObjectsForPrograms) {
  const std::string json = PageJson(kPage);
  EXPECT_NE(json.find(R"("code": "G204",)"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("title": "unknown feed or node",)"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("graph": "opsrun: 1\n\nx: `\n",)"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("prints": "$ opsrun check\nerror\n")"), std::string::npos) << json;
  EXPECT_NE(CodesJson().find(R"("code": "G204")"), std::string::npos);
  EXPECT_NE(PageJson({"G204", "# G204: t\n\nWords.\n"}).find(R"("graph": null)"), std::string::npos);
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
