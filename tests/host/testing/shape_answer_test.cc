// tests/host/testing/shape_answer_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/testing/shape_answer.h"

#include <gtest/gtest.h>

namespace opsrun::host {
namespace {

std::string WhyNoInputs(const std::string& text) {
  const Result<std::vector<spec::PartialShape>> read = ReadInputShapes(text);
  return read.ok() ? "" : read.status().message();
}
std::string WhyNoExpectation(const std::string& text) {
  const Result<ShapeWords> read = ReadExpectedShapes(text);
  return read.ok() ? "" : read.status().message();
}

TEST(ReadInputShapes, ReadsSizesAndUnknownOnes) {
  const std::vector<spec::PartialShape> shapes = *ReadInputShapes("[1,?];?;[];[3,]");
  ASSERT_EQ(shapes.size(), 4u);
  EXPECT_EQ(shapes[0], (spec::PartialShape{true, {1, -1}}));
  EXPECT_EQ(shapes[1], (spec::PartialShape{false, {}}));
  EXPECT_EQ(shapes[2], (spec::PartialShape{true, {}}));
  EXPECT_EQ(shapes[3], (spec::PartialShape{true, {3}}));
  EXPECT_TRUE(ReadInputShapes("")->empty());
}

TEST(ReadInputShapes, SaysWhatItFoundAndWhere) {
  EXPECT_EQ(WhyNoInputs("[1,x]"),
            "the shapes \"[1,x]\" cannot be read: at character 4 stands 'x]', expected a size or '?'");
  EXPECT_EQ(WhyNoInputs("[1"), "the shapes \"[1\" cannot be read: at character 3 stands the end, expected ',' or ']'");
  EXPECT_EQ(WhyNoInputs("?,?"),
            "the shapes \"?,?\" cannot be read: at character 2 stands ',?', expected ';' or the end");
  EXPECT_EQ(WhyNoInputs("?;"), "the shapes \"?;\" cannot be read: at character 3 stands the end, expected '?' or '['");
}

TEST(ReadInputShapes, RefusesBlanksSignsAndTooMuch) {
  for (const char* text :
       {" ?", "[1, 2]", "[-1]", "[+1]", "[,]", "[1,,2]", "[9223372036854775808]", "e", "in0", "[]]"}) {
    EXPECT_NE(WhyNoInputs(text), "") << text;
  }
  std::string many = "[";
  for (int i = 0; i < 33; ++i) many += "1,";
  EXPECT_EQ(WhyNoInputs(many + "]"), "a shape of 33 dimensions is given; the highest rank is 32");
}

TEST(ReadExpectedShapes, ReadsEveryWord) {
  const ShapeWords words = *ReadExpectedShapes("?;in0|in12;[3,?,d0_1|d2_0|o0_4, 5 ,]");
  ASSERT_EQ(words.outputs.size(), 3u);
  EXPECT_FALSE(words.outputs[0].rank_known);
  EXPECT_EQ(words.outputs[1].inputs, (std::vector<uint32_t>{0, 12}));
  const std::vector<DimWord>& dims = words.outputs[2].dims;
  ASSERT_EQ(dims.size(), 4u);
  EXPECT_EQ(dims[0].value, 3);
  EXPECT_EQ(dims[1].value, -1);
  ASSERT_EQ(dims[2].names.size(), 3u);
  EXPECT_EQ(dims[2].names[1].tensor, 2u);
  EXPECT_EQ(dims[2].names[1].dim, 0u);
  EXPECT_FALSE(dims[2].names[1].output);
  EXPECT_TRUE(dims[2].names[2].output);
  EXPECT_EQ(dims[3].value, 5);
}

TEST(ReadExpectedShapes, AnErrorIsTheWholeText) {
  EXPECT_TRUE(ReadExpectedShapes("e")->error);
  EXPECT_NE(WhyNoExpectation("e;?"), "");
  EXPECT_FALSE(ReadExpectedShapes("")->error);
}

TEST(ReadExpectedShapes, SaysWhatItFoundAndWhere) {
  EXPECT_EQ(WhyNoExpectation("[d0_x]"),
            "the shapes \"[d0_x]\" cannot be read: at character 5 stands 'x]', expected the number of a dimension");
  EXPECT_EQ(WhyNoExpectation("[d0]"), "the shapes \"[d0]\" cannot be read: at character 4 stands ']', expected '_'");
  EXPECT_EQ(
      WhyNoExpectation("[a]"),
      "the shapes \"[a]\" cannot be read: at character 2 stands 'a]', expected a size, '?' or a dimension such as "
      "d0_1");
  EXPECT_EQ(
      WhyNoExpectation("out0"),
      "the shapes \"out0\" cannot be read: at character 1 stands 'out0', expected '?', '[' or an input such as in0");
  EXPECT_EQ(WhyNoExpectation("in0|"),
            "the shapes \"in0|\" cannot be read: at character 5 stands the end, expected '?', '[' or an input such as "
            "in0");
}

// Nothing crashes, whatever is written; the end of what can be read is found.
TEST(ReadExpectedShapes, TakesNonsenseForNonsense) {
  const std::string signs = "[]?;,|_dino0123456789 -e\xff";
  uint32_t random = 1;
  int read = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (uint32_t length = random % 12; length > 0; --length) {
      random = random * 1664525u + 1013904223u;
      text += signs[(random >> 8) % signs.size()];
    }
    random = random * 1664525u + 1013904223u;
    read += ReadExpectedShapes(text).ok() && ReadInputShapes(text).ok() ? 1 : 0;
  }
  EXPECT_GT(read, 0);
}

}  // namespace

}  // namespace opsrun::host
