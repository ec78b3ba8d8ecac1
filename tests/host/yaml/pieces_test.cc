// tests/host/yaml/pieces_test.cc: a text that is read in pieces says what it says when it is read as a whole.
// SPDX-License-Identifier: Apache-2.0
#include "host/yaml/pieces.h"

#include <gtest/gtest.h>

#include "host/yaml/read_yaml.h"
#include "tests/host/yaml/error_lines.h"
#include "tests/host/yaml/value_text.h"

namespace opsrun::host {
namespace {

constexpr ReadingThreads kPieces{3, 1};

// The tree and the messages.
std::string Found(const std::string& text, const ReadingThreads& threads) {
  Diagnostics diagnostics;
  const std::optional<Value> value = ReadYaml({"g.yaml", text}, diagnostics, threads);
  std::string found = value ? ValueText(*value) : "nothing";
  for (const Diagnostic& d : diagnostics.all()) found += "\n" + d.code + PlaceText(d.where) + d.message;
  return found;
}

struct Pieces {
  size_t count = 0;  // 0: it is not cut
  std::optional<Value> joined;
};

Pieces CutAndJoin(const std::string& text) {
  Diagnostics diagnostics;
  const SourceFile source{"g.yaml", text};
  Reporter reporter(source, diagnostics);
  const std::optional<ScannedText> scanned = ScanText(reporter);
  const std::optional<CutText> cut = scanned ? CutLongestSection(text, *scanned, 3, 1) : std::nullopt;
  if (!cut) return {};
  std::vector<PlacedText> texts = cut->pieces;
  texts.insert(texts.begin(), cut->rest);
  return {cut->pieces.size(), JoinParts(source, cut->section_line, ParseAtOnce(source, *scanned, texts))};
}

void ExpectSame(const std::string& text) {
  EXPECT_EQ(Found(text, kPieces), Found(text, {})) << text;
}

TEST(YamlPieces, AreCutBeforeTheEntriesOfTheLongestSection) {
  const std::string text = "opsrun: 1\nfeeds:\n  x: {}\n  y: {}\nnodes:\n  a: {op: A}\n  b: {op: B}\n  c: {op: C}\n";
  const Pieces pieces = CutAndJoin(text);
  EXPECT_EQ(pieces.count, 3u);
  EXPECT_TRUE(pieces.joined);
  ExpectSame(text);
  ExpectSame(text + "outputs: [a, b]\n# the end\n");
}

TEST(YamlPieces, KeepWhatStandsBelowTheirEntries) {
  const std::string texts[] = {
      "m: 1\nn:\n  a:\n    op: A\n    in: [x,\n  y]\n  b: 'two\n    lines'\n  c: more\n    lines\n  d:\n",
      "m: 1\nn:\n  # c\n  a: |+\n    text\n\n\n  b: >-\n    folded\n   \n\n  c: null\n  d: ~\n\n\nlast: 1\n",
      "m: 1\nn:   # entries\n\n    a: {b: {c: [1, {d: e}]}}\n    b : 2\n    'c': 3\n    d: 4\n",
      "m: 1\r\nn:\r\n  a: 1\r\n  b: 2\r\n  c: 3\r\nl: 4\r\n",
      "m: 1\nn:\n  a: 1\n  b:\n    - 1\n    -\n      c: 2\n  d: 5\n  c: \n",
  };
  for (const std::string& text : texts) {
    const Pieces pieces = CutAndJoin(text);
    EXPECT_GT(pieces.count, 1u) << text;
    EXPECT_TRUE(pieces.joined) << text;
    ExpectSame(text);
  }
}

TEST(YamlPieces, KnowEmptyValuesByWhatIsBeforeThem) {
  const std::string_view ends[] = {"", "m: 1\n", "\n# c\n", "   # c\nl:\n", "# c\n\nl: ~\n"};
  for (const std::string_view last :
       {"in:\n      - x\n      -\n", "in:\n", "in:\n      -\n      - \n", "in:\n    -\n"}) {
    for (const std::string_view end : ends) {
      const std::string text = "k: 1\nn:\n  a:\n  b: null\n  c:\n    " + std::string(last) + std::string(end);
      EXPECT_TRUE(CutAndJoin(text).joined) << text;
      ExpectSame(text);
    }
  }
}

TEST(YamlPieces, AreNotMadeOfWhatMayDependOnOtherParts) {
  for (const std::string text :
       {"m: 1\nn:\n  a: &x 1\n  b: *x\n", "m: 1\nn:\n  a: !!str 1\n  b: 2\n", "---\nn:\n  a: 1\n  b: 2\n",
        "m: 1\nn:\n  ? a\n  : b\n  c: d\n", "m: 1\nn:\n  - a\n  - b\n", "m: 1\nn:\n    a: 1\n  b: 2\n"}) {
    EXPECT_EQ(CutAndJoin(text).count, 0u) << text;
    ExpectSame(text);
  }
}

TEST(YamlPieces, WithMistakesAreReadAsAWhole) {
  for (const std::string text :
       {"m: 1\nn:\n  a: 1\n  b: 2\n  a: 3\n", "m: 1\nn:\n  a: 1\n  b: {c: 1, c: 2}\n  d: 3\n",
        "m: 1\nn:\n  a: 1\n  b\n  c: 2\n", "m: 1\nn:\n  a: 1\n  <<: 2\n  c: 2\n", "m: 1\nn: null\n  a: 1\n  b: 2\n",
        "m: 1\nn: x\n  a: 1\n  b: 2\n", "m: 1\nn:\n  a: 1\n  b: 2\nn:\n  c: 1\n", "m: 1\nn:\n  a:\n  - 1\n  b: 2\n",
        "x\nn:\n  a: 1\n  b: 2\n", "m: 1\nn:\n  a: 1\n   b: 2\n  c: 3\n",
        "m: 1\nn:\n  a: {b: 1\n  }\n  c: ]\n  d: 2\n"})
    ExpectSame(text);
}

// What has no ':' is a mistake between entries, but could be read as something else at either end of a text.
TEST(YamlPieces, BeginAndEndBetweenEntries) {
  for (const std::string text :
       {"m: 1\nn:\n  a: 1\n  b\n  c: 1\n", "m: 1\nn:\n  a: 1\n  b 'x'\n  c: 1\n", "m: 1\nn:\n  a: 1\n  \"b\"\n  c: 1\n",
        "m: 1\nn:\n  a\n  b: 1\n  c: 1\n", "m: 1\nn:\n  a: 1\n  b: 1\n  c\n", "m: 1\nn\n  a: 1\n  b: 1\n",
        "m: 1\nn:\n  a: |+\n    x\n\n  b: |+\n    y\n\n\n", "m: 1\nn:\n  a: 1\n  b: |+\n    y"})
    ExpectSame(text);
}

TEST(YamlPieces, AreAsDeepAsTheWhole) {
  for (size_t depth = kMaxDepth - 3; depth < kMaxDepth + 2; ++depth)
    ExpectSame("m: 1\nn:\n  a: " + std::string(depth, '[') + std::string(depth, ']') + "\n  b: 1\n");
}

}  // namespace
}  // namespace opsrun::host
