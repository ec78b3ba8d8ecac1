// tests/host/show/error_pages_test.cc: what explain says of a code.
// SPDX-License-Identifier: Apache-2.0
#include "host/show/error_pages.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

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

TEST(ErrorPages, AreFoundInCapitalAndSmallLetters) {
  ASSERT_NE(FindErrorPage("G204"), nullptr);
  EXPECT_EQ(FindErrorPage("g204"), FindErrorPage("G204"));
  EXPECT_EQ(FindErrorPage("G999"), nullptr);
  EXPECT_EQ(FindErrorPage(""), nullptr);
}

TEST(ErrorPages, TellCodesFromOps) {
  for (const char* word : {"G204", "g1", "E12345"}) EXPECT_TRUE(LooksLikeCode(word)) << word;
  for (const char* word : {"", "G", "Pad", "Pad2", "2044", "G20x", "G1234567"})
    EXPECT_FALSE(LooksLikeCode(word)) << word;
}

TEST(ErrorPages, LoseTheMarksOfMarkdown) {
  EXPECT_EQ(PageText(kPage), R"(G204: nothing has the name 'x'

Words, 'in: x'.

Exit code: 3.

Example

    opsrun: 1

    x: `

    $ opsrun check
    error
)");
}

TEST(ErrorPages, AreObjectsForPrograms) {
  const std::string json = PageJson(kPage);
  EXPECT_NE(json.find(R"("code": "G204",)"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("title": "unknown feed or node",)"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("graph": "opsrun: 1\n\nx: `\n",)"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("prints": "$ opsrun check\nerror\n")"), std::string::npos) << json;
  EXPECT_NE(PageJson({"G204", "# G204: t\n\nWords.\n"}).find(R"("graph": null)"), std::string::npos);
}

TEST(ErrorPages, AreListedOneALine) {
  const std::string text = CodesText();
  EXPECT_NE(text.find("\nG204: "), std::string::npos);
  EXPECT_EQ(static_cast<size_t>(std::count(text.begin(), text.end(), '\n')), ErrorPages().size());
  EXPECT_NE(CodesJson().find(R"("code": "G204")"), std::string::npos);
}

}  // namespace
}  // namespace opsrun::host
