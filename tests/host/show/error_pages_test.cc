// tests/host/show/error_pages_test.cc: what explain says of a code.
// SPDX-License-Identifier: Apache-2.0
#include "host/show/error_pages.h"

#include <gtest/gtest.h>

#include <algorithm>

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

TEST(ErrorPages, AreInOrderAndEachIsAboutItsCode) {
  EXPECT_GT(ErrorPages().size(), 90u);
  EXPECT_TRUE(std::is_sorted(ErrorPages().begin(), ErrorPages().end(),
                             [](const ErrorPage& a, const ErrorPage& b) { return a.code < b.code; }));
  for (const ErrorPage& page : ErrorPages()) {
    EXPECT_TRUE(page.markdown.starts_with("# " + std::string(page.code) + ": ")) << page.code;
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
  EXPECT_NE(json.find(R"("title": "nothing has the name `x`",)"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("graph": "opsrun: 1\n\nx: `\n",)"), std::string::npos) << json;
  EXPECT_NE(json.find(R"("prints": "$ opsrun check\nerror\n")"), std::string::npos) << json;
  EXPECT_NE(PageJson({"G1", "# G1: t\n\nWords.\n"}).find(R"("graph": null)"), std::string::npos);
}

TEST(ErrorPages, AreListedOneALine) {
  const std::string text = CodesText();
  EXPECT_NE(text.find("\nG204: "), std::string::npos);
  EXPECT_EQ(static_cast<size_t>(std::count(text.begin(), text.end(), '\n')), ErrorPages().size());
  EXPECT_NE(CodesJson().find(R"("code": "G204")"), std::string::npos);
}

}  // namespace
}  // namespace opsrun::host
