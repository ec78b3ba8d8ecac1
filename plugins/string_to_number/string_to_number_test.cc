// plugins/string_to_number/string_to_number_test.cc: Parse, and StringToNumber and NumberToString as users run them.
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "opsrun/testing.h"
#include "parse.h"

namespace string_to_number {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <typename T>
T Value(std::string_view text) {
  T value = 99;
  EXPECT_EQ(Parse(text, &value), Parsed::kOk) << text;
  return value;
}
template <typename T>
Parsed Why(std::string_view text) {
  T value;
  return Parse(text, &value);
}

TEST(Parse, ReadsIntegers) {
  EXPECT_EQ(Value<int32_t>("-2147483648"), std::numeric_limits<int32_t>::min());
  EXPECT_EQ(Value<int64_t>("9223372036854775807"), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(Value<int32_t>("007"), 7);
}

TEST(Parse, ReadsFloats) {
  EXPECT_EQ(Value<double>("-12.5"), -12.5);
  EXPECT_EQ(Value<double>(".5e1"), 5);
  EXPECT_EQ(Value<double>("3."), 3);
  EXPECT_EQ(Value<float>("1e8"), 1e8f);
  EXPECT_EQ(Value<double>("inf"), kInfinity);
  EXPECT_EQ(Value<double>("-Infinity"), -kInfinity);
  EXPECT_TRUE(std::isnan(Value<float>("NaN")));
}

TEST(Parse, RoundsToTheNearest) {
  EXPECT_EQ(Value<float>("16777217"), 16777216.0f);                // a tie, to even
  EXPECT_EQ(Value<float>("16777217.0000000000001"), 16777218.0f);  // rounding to double first would make it a tie
  EXPECT_EQ(Value<double>("0.1"), 0.1);
  EXPECT_EQ(Value<double>("2.2250738585072011e-308"), 2.2250738585072011e-308);
}

TEST(Parse, AllowsBlanksAroundAndAPlus) {
  EXPECT_EQ(Value<int32_t>(" \t\r\n12\v\f "), 12);
  EXPECT_EQ(Value<int32_t>("+12"), 12);
  EXPECT_EQ(Value<double>(" +.5 "), 0.5);
}

TEST(Parse, RefusesWhatIsNoNumber) {
  for (const char* text : {"", " ", "+", "-", "+-1", "++1", "1 2", "0x10", "1,5", "12a", "one", "- 1"}) {
    EXPECT_EQ(Why<int32_t>(text), Parsed::kNoNumber) << text;
    EXPECT_EQ(Why<double>(text), Parsed::kNoNumber) << text;
  }
  EXPECT_EQ(Why<int64_t>("1.0"), Parsed::kNoNumber);
  EXPECT_EQ(Why<int64_t>("1e3"), Parsed::kNoNumber);
  EXPECT_EQ(Why<double>(std::string_view("1\0", 2)), Parsed::kNoNumber);
  EXPECT_EQ(Why<double>("1e"), Parsed::kNoNumber);
}

TEST(Parse, RefusesWhatIsTooLarge) {
  EXPECT_EQ(Why<int32_t>("2147483648"), Parsed::kTooLarge);
  EXPECT_EQ(Why<int64_t>("-9223372036854775809"), Parsed::kTooLarge);
  EXPECT_EQ(Why<float>("3.5e38"), Parsed::kTooLarge);
  EXPECT_EQ(Why<double>("-1e999"), Parsed::kTooLarge);
  EXPECT_EQ(Why<double>("0.001e99999999999999999999"), Parsed::kTooLarge);
  EXPECT_EQ(Why<double>(std::string(400, '9')), Parsed::kTooLarge);
}

TEST(Parse, RoundsTheSmallestToZero) {
  EXPECT_EQ(Value<float>("1e-60"), 0);
  EXPECT_EQ(Value<double>("1000e-99999999999999999999"), 0);
  EXPECT_EQ(Value<double>("0." + std::string(400, '0') + "1"), 0);
  EXPECT_TRUE(std::signbit(Value<double>("-1e-999")));
  EXPECT_EQ(Value<double>("0e999"), 0);
  EXPECT_EQ(Value<double>("5e-324"), std::numeric_limits<double>::denorm_min());
}

}  // namespace
}  // namespace string_to_number

namespace {

using namespace opsrun::test;
using Strings = std::vector<std::string>;

TEST(StringsAndNumbersShape, IsTheInputs) {
  for (const char* op : {"StringToNumber", "NumberToString"}) {
    INFER_OK(ShapeInferenceTestOp(op), "[2,?]", "in0");
    INFER_OK(ShapeInferenceTestOp(op), "?", "in0");
  }
}

class StringToNumberTest : public OpTest {
 protected:
  template <typename T>
  Node To(const Shape& shape, const Strings& texts) {
    return Op("StringToNumber").Input<std::string>(shape, texts).Attr("out_type", TypeOf<T>());
  }
  static std::string Refused(const std::string& sentence) {
    return "INVALID_ARGUMENT: input:string_tensor: string_tensor" + sentence;
  }
};

TEST_F(StringToNumberTest, KeepsTheShape) {
  To<int32_t>({1, 2}, {"12", " -7"});
  RunGives<int32_t>(0, {1, 2}, {12, -7});
  To<int32_t>({0, 3}, {});
  RunGives<int32_t>(0, {0, 3}, {});
}

TEST_F(StringToNumberTest, SaysWhatATypeHolds) {
  To<float>({1}, {"-1e39"});
  RunFails(Refused("[0] is '-1e39', which is too large for float32: it holds -3.4028235e+38 to 3.4028235e+38"));
}

TEST_F(StringToNumberTest, ShowsOddTextOnOneLine) {
  To<int32_t>({1}, {"\xff\n" + std::string(100, 'x')});
  RunFails(
      Refused("[0] is '\\xff\\x0a" + std::string(38, 'x') + "...', but int32 needs a whole number, such as 42 or -7"));
}

TEST_F(StringToNumberTest, NamesTheFirstHoweverTheLoopIsCut) {
  CutLoops();
  Strings texts(100, "7");
  texts[41] = "b";
  texts[42] = "c";
  texts[90] = "d";
  To<int32_t>({100}, texts);
  RunFails(Refused("[41] is 'b', but int32 needs a whole number, such as 42 or -7"));
}

class NumberToStringTest : public OpTest {
 protected:
  template <typename T>
  void Writes(const std::vector<T>& numbers, const Strings& texts) {
    Op("NumberToString").Input<T>({static_cast<int64_t>(numbers.size())}, numbers);
    RunGives<std::string>(0, {static_cast<int64_t>(texts.size())}, texts);
  }
};

TEST_F(NumberToStringTest, WritesEveryType) {
  Writes<int8_t>({-128, 0}, {"-128", "0"});
  Writes<uint64_t>({UINT64_MAX}, {"18446744073709551615"});
  Writes<bool>({true, false}, {"true", "false"});
  for (const int32_t dtype : {OPSRUN_DT_INT16, OPSRUN_DT_INT32, OPSRUN_DT_INT64, OPSRUN_DT_UINT8, OPSRUN_DT_UINT16,
                              OPSRUN_DT_UINT32, OPSRUN_DT_FLOAT, OPSRUN_DT_DOUBLE}) {
    Op("NumberToString").Input(Array::Zeros(dtype, {1}));
    RunGives<std::string>(0, {1}, {"0"});
  }
}

TEST_F(NumberToStringTest, WritesTheFewestDigitsThatTell) {
  Writes<float>({0.1f, 3, 1e20f, -0.0f}, {"0.1", "3", "1e+20", "-0"});
  Writes<double>({0.1, 1.0 / 3, 5e-324}, {"0.1", "0.3333333333333333", "5e-324"});
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  Writes<double>({infinity, -infinity, nan, -nan}, {"inf", "-inf", "nan", "nan"});
}

}  // namespace
