// tests/host/testing/shape_answer_test.cc: shapes that a test writes, and values that it gives.
// SPDX-License-Identifier: Apache-2.0
#include "host/testing/shape_answer.h"

#include <gtest/gtest.h>

#include <limits>

#include "host/testing/test_values.h"

namespace opsrun::host {
namespace {

// Where the text cannot be read and what was expected there; the whole message, if it is about something else.
template <typename T>
std::string WhyNot(const Result<T>& read) {
  const std::string message = read.ok() ? "" : read.status().message();
  const size_t at = message.find("cannot be read: at character ");
  return at == std::string::npos ? message : message.substr(at + 29);
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

TEST(ReadInputShapes, SaysWhatItFoundAndWhereAlsoOfBlanksSignsAndTooMuch) {
  EXPECT_EQ(ReadInputShapes("[1,x]").status().message(),
            "the shapes \"[1,x]\" cannot be read: at character 4: found 'x]', expected a size or '?'");
  EXPECT_EQ(WhyNot(ReadInputShapes("[1")), "3: found the end, expected ',' or ']'");
  EXPECT_EQ(WhyNot(ReadInputShapes("?,?")), "2: found ',?', expected ';' or the end");
  EXPECT_EQ(WhyNot(ReadInputShapes("?;")), "3: found the end, expected '?' or '['");
  for (const char* text :
       {" ?", "[1, 2]", "[-1]", "[+1]", "[,]", "[1,,2]", "[9223372036854775808]", "e", "in0", "[]]"}) {
    EXPECT_NE(WhyNot(ReadInputShapes(text)), "") << text;
  }
  std::string many = "[";
  for (int i = 0; i < 33; ++i) many += "1,";
  EXPECT_EQ(WhyNot(ReadInputShapes(many + "]")), "a shape of 33 dimensions is given; the highest rank is 32");
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

TEST(ReadExpectedShapes, SaysWhatItFoundAndWhere) {
  EXPECT_TRUE(ReadExpectedShapes("e")->error) << "the whole text";
  EXPECT_NE(WhyNot(ReadExpectedShapes("e;?")), "");
  EXPECT_FALSE(ReadExpectedShapes("")->error);
  EXPECT_EQ(WhyNot(ReadExpectedShapes("[d0_x]")), "5: found 'x]', expected the number of a dimension");
  EXPECT_EQ(WhyNot(ReadExpectedShapes("[d0]")), "4: found ']', expected '_'");
  EXPECT_EQ(WhyNot(ReadExpectedShapes("[a]")), "2: found 'a]', expected a size, '?' or a dimension such as d0_1");
  EXPECT_EQ(WhyNot(ReadExpectedShapes("out0")), "1: found 'out0', expected '?', '[' or an input such as in0");
  EXPECT_EQ(WhyNot(ReadExpectedShapes("in0|")), "5: found the end, expected '?', '[' or an input such as in0");
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

using test::ArrayOf;
using test::AttrValue;

// Scalars as they stand in a graph, with quotes where they are strings; lists in brackets.
std::string Text(const Value& value) {
  if (value.kind == Value::Kind::kScalar) return value.quoted ? "'" + value.text + "'" : value.text;
  std::string text;
  for (const Value& item : value.items) text += (text.empty() ? "" : ", ") + Text(item);
  for (const Value::Entry& entry : value.entries) {
    text += (text.empty() ? "" : ", ") + entry.key + ": " + Text(entry.value);
  }
  return value.kind == Value::Kind::kMap ? "{" + text + "}" : "[" + text + "]";
}

TEST(AttrText, IsThatOfAGraph) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::pair<AttrValue, const char*> rows[] = {
      {3, "3"},
      {std::numeric_limits<int64_t>::min(), "-9223372036854775808"},
      {true, "true"},
      {"3", "'3'"},
      // Floats stay floats.
      {2.0, "2.0"},
      {0.1, "0.1"},
      {1e300, "1.0e+300"},
      {-infinity, "-.inf"},
      {std::numeric_limits<double>::quiet_NaN(), ".nan"},
      {{1, 2}, "[1, 2]"},
      {{"a", "b"}, "['a', 'b']"},
      {std::vector<bool>{true, false}, "[true, false]"},
      {test::Shape{2, -1}, "[2, -1]"},
      {{test::Shape{2}, test::Shape{}}, "[[2], []]"},
      {ArrayOf<double>({2, 1}, {0.1234567890123, 2}), "{value: [[0.1234567890123], [2.0]], dtype: 'float64'}"},
      {ArrayOf<std::string>({}, {"a"}), "{value: 'a', dtype: 'string'}"},
      {ArrayOf<test::Half>({1}, {0.5}), "{value: [0.5], dtype: 'float16'}"},
      {ArrayOf<int32_t>({2}, {1}), "{}"},
  };
  for (const auto& [value, text] : rows) EXPECT_EQ(Text(ToValue(value, {})), text);
}

}  // namespace
}  // namespace opsrun::host
