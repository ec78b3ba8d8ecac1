// plugins/string_to_number/string_to_number_test.cc: StringToNumber and NumberToString as users run them.
// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "opsrun/testing.h"

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
