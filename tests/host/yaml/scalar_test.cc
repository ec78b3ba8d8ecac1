// SPDX-License-Identifier: Apache-2.0
#include "host/yaml/scalar.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace opsrun::host {
namespace {

Value Plain(const std::string& text) {
  Value value;
  value.kind = Value::Kind::kScalar;
  value.text = text;
  return value;
}

Value Quoted(const std::string& text) {
  Value value = Plain(text);
  value.quoted = true;
  return value;
}

TEST(AsBool, KnowsYaml12OnlyAndNotYesNoOnOff) {
  for (const char* text : {"true", "True", "TRUE"}) EXPECT_EQ(AsBool(Plain(text)), true);
  for (const char* text : {"false", "False", "FALSE"}) EXPECT_EQ(AsBool(Plain(text)), false);
  for (const char* text : {"yes", "no", "on", "off", "y", "tRUE", "1"}) EXPECT_EQ(AsBool(Plain(text)), std::nullopt);
  EXPECT_EQ(AsBool(Quoted("true")), std::nullopt);
}

TEST(AsInt, ReadsDecimalHexAndOctal) {
  EXPECT_EQ(AsInt(Plain("42")), 42);
  EXPECT_EQ(AsInt(Plain("+7")), 7);
  EXPECT_EQ(AsInt(Plain("-0x10")), std::nullopt);
  EXPECT_EQ(AsInt(Plain("0x1F")), 31);
  EXPECT_EQ(AsInt(Plain("0o17")), 15);
  EXPECT_EQ(AsInt(Plain("010")), 10);
}

TEST(AsInt, HoldsAllOfInt64AndNoMore) {
  EXPECT_EQ(AsInt(Plain("9223372036854775807")), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(AsInt(Plain("-9223372036854775808")), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(AsInt(Plain("9223372036854775808")), std::nullopt);
  EXPECT_EQ(AsInt(Plain("-9223372036854775809")), std::nullopt);
}

TEST(AsInt, RefusesOtherTexts) {
  for (const char* text : {"", "-", "1.0", "1e3", "1_000", " 1", "1 ", "0x", "0xg", "--1", "1-"}) {
    EXPECT_EQ(AsInt(Plain(text)), std::nullopt) << text;
  }
  EXPECT_EQ(AsInt(Quoted("1")), std::nullopt);
}

TEST(AsUint, HoldsAllOfUint64AndNothingNegative) {
  EXPECT_EQ(AsUint(Plain("18446744073709551615")), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(AsUint(Plain("18446744073709551616")), std::nullopt);
  EXPECT_EQ(AsUint(Plain("-1")), std::nullopt);
  EXPECT_EQ(AsUint(Plain("-0")), 0u);
}

TEST(AsFloat, ReadsTheNumbersOfYaml12) {
  EXPECT_EQ(AsFloat(Plain("1.5")), 1.5);
  EXPECT_EQ(AsFloat(Plain("-.5")), -0.5);
  EXPECT_EQ(AsFloat(Plain("+1.")), 1.0);
  EXPECT_EQ(AsFloat(Plain("1e3")), 1000.0);
  EXPECT_EQ(AsFloat(Plain("2E-1")), 0.2);
  EXPECT_EQ(AsFloat(Plain("7")), 7.0);
  EXPECT_EQ(AsFloat(Plain("0x10")), 16.0);
  EXPECT_EQ(AsFloat(Plain("-.inf")), -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(AsFloat(Plain(".NaN")).value()));
}

TEST(AsFloat, BecomesInfinityOrZeroBeyondItsRange) {
  EXPECT_EQ(AsFloat(Plain("1e400")), std::numeric_limits<double>::infinity());
  EXPECT_EQ(AsFloat(Plain("-1e400")), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(AsFloat(Plain("1e-400")), 0.0);
}

TEST(AsFloat, RefusesOtherTexts) {
  for (const char* text : {"", ".", "e1", "1e", "1e+", "inf", "nan", "-.nan", "1.2.3", "1f", "0x1p3"}) {
    EXPECT_EQ(AsFloat(Plain(text)), std::nullopt) << text;
  }
}

TEST(AsString, IsWhatIsNoOtherScalar) {
  EXPECT_EQ(AsString(Plain("no")), "no");
  EXPECT_EQ(AsString(Plain("1x")), "1x");
  EXPECT_EQ(AsString(Quoted("1")), "1");
  EXPECT_EQ(AsString(Plain("1")), std::nullopt);
  EXPECT_EQ(AsString(Plain("true")), std::nullopt);
  EXPECT_EQ(AsString(Value()), std::nullopt);
}

TEST(KindText, NamesWhatAValueIs) {
  Value list;
  list.kind = Value::Kind::kList;
  Value map;
  map.kind = Value::Kind::kMap;
  EXPECT_EQ(KindText(Value()), "nothing");
  EXPECT_EQ(KindText(list), "a list");
  EXPECT_EQ(KindText(map), "a map");
  EXPECT_EQ(KindText(Plain("false")), "a boolean");
  EXPECT_EQ(KindText(Plain("18446744073709551615")), "an integer");
  EXPECT_EQ(KindText(Plain("1.0")), "a decimal number");
  EXPECT_EQ(KindText(Quoted("1.0")), "a string");
}

}  // namespace
}  // namespace opsrun::host
