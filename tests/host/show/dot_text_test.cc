// tests/host/show/dot_text_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/show/dot_text.h"

#include <gtest/gtest.h>

namespace opsrun::host {
namespace {

TEST(DotId, KeepsQuotesAndBackslashesInside) {
  EXPECT_EQ(DotId("x"), "\"x\"");
  EXPECT_EQ(DotId("a\"; b [\\N]"), "\"a\\\"; b [\\\\N]\"");
}

TEST(DotId, ShowsWhatCannotBeShownAsOneCharacter) {
  EXPECT_EQ(DotId("a\nb\xFF"), "\"a\uFFFDb\uFFFD\"");
}

TEST(CutText, CountsCharactersNotBytes) {
  EXPECT_EQ(CutText("äöü", 3), "äöü");
  EXPECT_EQ(CutText("äöüß", 3), "äö…");
  EXPECT_EQ(CutText("", 3), "");
}

TEST(CutText, LetsNothingTurnTheWritingAround) {
  EXPECT_EQ(CutText("a\u202Eb", 9), "a\uFFFDb");
}

TEST(HtmlText, LeavesNoMarkup) {
  EXPECT_EQ(HtmlText("<b> & \"c\""), "&lt;b&gt; &amp; &quot;c&quot;");
}

TEST(HtmlLines, BreakAtBlanks) {
  EXPECT_EQ(HtmlLines("one two three four", 9, 4), "one two<br/>three<br/>four<br/>");
  EXPECT_EQ(HtmlLines("abcdefghijkl", 5, 4), "abcde<br/>fghij<br/>kl<br/>");
}

TEST(HtmlLines, EndWithAnEllipsisWhereThereIsMore) {
  EXPECT_EQ(HtmlLines("abcdefghijkl", 5, 2), "abcde<br/>fghi…<br/>");
}

TEST(HtmlLines, CutNoEntity) {
  EXPECT_EQ(HtmlLines("<<<<", 2, 2), "&lt;&lt;<br/>&lt;&lt;<br/>");
}

}  // namespace
}  // namespace opsrun::host
