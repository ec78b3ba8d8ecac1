// SPDX-License-Identifier: Apache-2.0
#include "host/yaml/scalar.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace opsrun::host {
namespace {

TEST(AsBool, KnowsYaml12OnlyAndNotYesNoOnOff) {
  for (const char* text : {"true", "True", "TRUE"}) EXPECT_EQ(AsBool(PlainValue(text)), true);
  for (const char* text : {"false", "False", "FALSE"}) EXPECT_EQ(AsBool(PlainValue(text)), false);
  for (const char* text : {"yes", "no", "on", "off", "y", "tRUE", "1"})
    EXPECT_EQ(AsBool(PlainValue(text)), std::nullopt);
  EXPECT_EQ(AsBool(StringValue("true")), std::nullopt);
}

TEST(AsInt, ReadsDecimalHexAndOctalOf64Bits) {
  for (const auto& [text, number] :
       {std::pair("42", int64_t{42}), std::pair("+7", int64_t{7}), std::pair("0x1F", int64_t{31}),
        std::pair("0o17", int64_t{15}), std::pair("010", int64_t{10}),
        std::pair("9223372036854775807", std::numeric_limits<int64_t>::max()),
        std::pair("-9223372036854775808", std::numeric_limits<int64_t>::min())})
    EXPECT_EQ(AsInt(PlainValue(text)), number) << text;
  for (const char* text : {"-0x10", "9223372036854775808", "-9223372036854775809", "", "-", "1.0", "1e3", "1_000", " 1",
                           "1 ", "0x", "0xg", "--1", "1-"})
    EXPECT_EQ(AsInt(PlainValue(text)), std::nullopt) << text;
  EXPECT_EQ(AsInt(StringValue("1")), std::nullopt);
}

TEST(AsUint, HoldsAllOfUint64AndNothingNegative) {
  EXPECT_EQ(AsUint(PlainValue("18446744073709551615")), std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(AsUint(PlainValue("-0")), 0u);
  for (const char* text : {"18446744073709551616", "-1"}) EXPECT_EQ(AsUint(PlainValue(text)), std::nullopt) << text;
}

TEST(AsFloat, ReadsTheNumbersOfYaml12) {
  for (const auto& [text, number] :
       {std::pair("1.5", 1.5), std::pair("-.5", -0.5), std::pair("+1.", 1.0), std::pair("1e3", 1000.0),
        std::pair("2E-1", 0.2), std::pair("7", 7.0), std::pair("0x10", 16.0), std::pair("-.inf", -HUGE_VAL),
        std::pair("1e400", HUGE_VAL), std::pair("-1e400", -HUGE_VAL), std::pair("1e-400", 0.0)})
    EXPECT_EQ(AsFloat(PlainValue(text)), number) << text;
  EXPECT_TRUE(std::isnan(AsFloat(PlainValue(".NaN")).value()));
  for (const char* text : {"", ".", "e1", "1e", "1e+", "inf", "nan", "-.nan", "1.2.3", "1f", "0x1p3"})
    EXPECT_EQ(AsFloat(PlainValue(text)), std::nullopt) << text;
}

TEST(AsString, IsWhatIsNoOtherScalar) {
  for (const char* text : {"no", "1x"}) EXPECT_EQ(AsString(PlainValue(text)), text);
  EXPECT_EQ(AsString(StringValue("1")), "1");
  for (const Value& value : {PlainValue("1"), PlainValue("true"), Value()}) EXPECT_EQ(AsString(value), std::nullopt);
}

TEST(KindText, NamesWhatAValueIs) {
  for (const auto& [value, text] :
       {std::pair(Value(), "nothing"), std::pair(ListValue(), "a list"), std::pair(MapValue(), "a map"),
        std::pair(PlainValue("false"), "a boolean"), std::pair(PlainValue("18446744073709551615"), "an integer"),
        std::pair(PlainValue("1.0"), "a decimal number"), std::pair(StringValue("1.0"), "a string")})
    EXPECT_EQ(KindText(value), text);
}

}  // namespace
}  // namespace opsrun::host
