// tests/host/testing/test_values_test.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/testing/test_values.h"

#include <gtest/gtest.h>

#include <limits>

namespace opsrun::host {
namespace {

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
std::string TextOf(const AttrValue& value) {
  return Text(ToValue(value, {}));
}

TEST(AttrText, WritesScalars) {
  EXPECT_EQ(TextOf(3), "3");
  EXPECT_EQ(TextOf(std::numeric_limits<int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(TextOf(true), "true");
  EXPECT_EQ(TextOf("3"), "'3'");
}

TEST(AttrText, WritesFloatsThatStayFloats) {
  EXPECT_EQ(TextOf(2.0), "2.0");
  EXPECT_EQ(TextOf(0.1), "0.1");
  EXPECT_EQ(TextOf(1e300), "1.0e+300");
  EXPECT_EQ(TextOf(-std::numeric_limits<double>::infinity()), "-.inf");
  EXPECT_EQ(TextOf(std::numeric_limits<double>::quiet_NaN()), ".nan");
}

TEST(AttrText, WritesLists) {
  EXPECT_EQ(TextOf({1, 2}), "[1, 2]");
  EXPECT_EQ(TextOf({"a", "b"}), "['a', 'b']");
  EXPECT_EQ(TextOf(std::vector<bool>{true, false}), "[true, false]");
  EXPECT_EQ(TextOf(test::Shape{2, -1}), "[2, -1]");
  EXPECT_EQ(TextOf({test::Shape{2}, test::Shape{}}), "[[2], []]");
}

TEST(AttrText, WritesTensors) {
  EXPECT_EQ(TextOf(ArrayOf<double>({2, 1}, {0.1234567890123, 2})),
            "{value: [[0.1234567890123], [2.0]], dtype: 'float64'}");
  EXPECT_EQ(TextOf(ArrayOf<std::string>({}, {"a"})), "{value: 'a', dtype: 'string'}");
  EXPECT_EQ(TextOf(ArrayOf<test::Half>({1}, {0.5})), "{value: [0.5], dtype: 'float16'}");
  EXPECT_EQ(TextOf(ArrayOf<int32_t>({2}, {1})), "{}");
}

}  // namespace
}  // namespace opsrun::host
