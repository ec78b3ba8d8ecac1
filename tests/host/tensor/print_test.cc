// tests/host/tensor/print_test.cc: expected texts are what str() of the same array gives in NumPy 1.24.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <utility>

#include "host/tensor/number_type.h"

namespace opsrun::host {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr float kNanFloat = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfFloat = std::numeric_limits<float>::infinity();

template <typename T>
std::string Print(DType dtype, Shape shape, const std::vector<T>& elements) {
  EXPECT_EQ(NumElements(shape), static_cast<int64_t>(elements.size()));
  return PrintTensor(*Tensor::CopyOf(dtype, std::move(shape), elements.data()));
}

std::string Doubles(Shape shape, const std::vector<double>& elements) {
  return Print<double>(DType::kFloat64, std::move(shape), elements);
}
std::string Floats(Shape shape, const std::vector<float>& elements) {
  return Print<float>(DType::kFloat32, std::move(shape), elements);
}
std::string Complexes(Shape shape, const std::vector<std::complex<double>>& elements) {
  return Print<std::complex<double>>(DType::kComplex128, std::move(shape), elements);
}

std::string PrintStrings(Shape shape, const std::vector<std::string>& strings) {
  Result<Tensor> tensor = Tensor::Create(DType::kString, std::move(shape));
  for (size_t i = 0; i < strings.size(); ++i) EXPECT_TRUE(tensor->SetString(static_cast<int64_t>(i), strings[i]).ok());
  return PrintTensor(*tensor);
}

TEST(PrintTensor, QuotesStringsAsPythonDoesUnlessOneStandsAlone) {
  EXPECT_EQ(PrintStrings({2, 2}, {"a", "", "it's", "é\n"}), "[['a' '']\n [\"it's\" 'é\\n']]");
  EXPECT_EQ(PrintStrings({1}, {"\x1b[31m\xff\\'\""}), "['\\x1b[31m\\xff\\\\\\'\"']");
  EXPECT_EQ(PrintStrings({}, {"it's\ntwo lines"}), "it's\ntwo lines");
  EXPECT_EQ(PrintStrings({}, {"\x1b[2J"}), "\\x1b[2J");
  const std::string fits(67, 'a');
  EXPECT_EQ(PrintStrings({2}, {fits, "b"}), "['" + fits + "' 'b']");
  EXPECT_EQ(PrintStrings({2}, {fits + "a", "b"}), "['" + fits + "a'\n 'b']");
  EXPECT_EQ(PrintStrings({1, 2}, {fits.substr(2), "b"}), "[['" + fits.substr(2) + "' 'b']]");
  EXPECT_EQ(PrintStrings({1, 2}, {fits.substr(1), "b"}), "[['" + fits.substr(1) + "'\n  'b']]");
}

std::string PrintRange(const Shape& shape) {
  std::vector<int64_t> elements(static_cast<size_t>(*NumElements(shape)));
  std::iota(elements.begin(), elements.end(), 0);
  return Print<int64_t>(DType::kInt64, shape, elements);
}

std::string PrintHalves(const std::vector<double>& values) {
  std::vector<uint16_t> bits;
  for (const double value : values) bits.push_back(HalfFromDouble(value));
  return Print<uint16_t>(DType::kFloat16, {static_cast<int64_t>(bits.size())}, bits);
}

// tests/graphs/every_number_type.out has every type.
TEST(PrintTensor, IntegersAndBoolsAreAlignedToTheRight) {
  EXPECT_EQ(Print<int32_t>(DType::kInt32, {2, 2}, {1, -20, 300, 4}), "[[  1 -20]\n [300   4]]");
  EXPECT_EQ(Print<int64_t>(DType::kInt64, {0}, {}), "[]");
  EXPECT_EQ(Print<int32_t>(DType::kInt32, {2, 0, 3}, {}), "[]");
  EXPECT_EQ(Print<uint8_t>(DType::kBool, {2, 1}, {true, true}), "[[ True]\n [ True]]");
  EXPECT_EQ(Print<uint8_t>(DType::kQUInt8, {2}, {3, 200}), "[  3 200]");
}

TEST(PrintTensor, ScalarsStandAlone) {
  for (const auto& [number, text] :
       {std::pair(2.0, "2.0"), std::pair(1e+16, "1e+16"), std::pair(1.5e-05, "1.5e-05"), std::pair(-0.0, "-0.0"),
        std::pair(kNan, "nan"), std::pair(-kInf, "-inf"), std::pair(0.3333333333333333, "0.3333333333333333")})
    EXPECT_EQ(Doubles({}, {number}), text);
  EXPECT_EQ(Print<int32_t>(DType::kInt32, {}, {5}), "5");
  EXPECT_EQ(Print<uint8_t>(DType::kBool, {}, {true}), "True");
  EXPECT_EQ(Floats({}, {0.10000000149011612}), "0.1");
  EXPECT_EQ(Floats({}, {123456792.0}), "123456790.0");
  EXPECT_EQ(Complexes({}, {{1.0, 2.0}}), "(1+2j)");
  EXPECT_EQ(Complexes({}, {{0.0, 2.0}}), "2j");
  EXPECT_EQ(Complexes({}, {{-0.0, -1.5}}), "(-0-1.5j)");
  EXPECT_EQ(Print<std::complex<float>>(DType::kComplex64, {}, {std::complex<float>(kNanFloat, kInfFloat)}),
            "(nan+infj)");
}

TEST(PrintTensor, FloatsAlignAtThePoint) {
  using Row = std::vector<double>;
  for (const auto& [row, text] :
       {std::pair(Row{1.0, 2.5, -10.25}, "[  1.     2.5  -10.25]"), std::pair(Row{1.0, 2.0}, "[1. 2.]"),
        std::pair(Row{0.123456789, 1.0}, "[0.12345679 1.        ]"), std::pair(Row{0.0, 0.0}, "[0. 0.]")})
    EXPECT_EQ(Doubles({static_cast<int64_t>(row.size())}, row), text);
  EXPECT_EQ(Floats({3}, {0.10000000149011612, 0.3333333432674408, 100.0}), "[  0.1          0.33333334 100.        ]");
  EXPECT_EQ(Doubles({2, 2}, {0.5, -0.0, 99999999.0, 100000.0}),
            "[[ 5.0000000e-01 -0.0000000e+00]\n"
            " [ 9.9999999e+07  1.0000000e+05]]");
  EXPECT_EQ(Floats({2}, {100000.0, 1234.5677490234375}), "[100000.       1234.5677]");
  EXPECT_EQ(Complexes({2}, {{1.0, 2.0}, {-3.5, -4.25}}), "[ 1. +2.j   -3.5-4.25j]");
  EXPECT_EQ(Print<std::complex<float>>(DType::kComplex64, {2}, {{10000000000.0, 1.0}, {2.0, -0.5}}),
            "[1.e+10+1.j  2.e+00-0.5j]");
  EXPECT_EQ(Complexes({2}, {{kNan, 1.0}, {2.0, -kInf}}), "[nan +1.j  2.-infj]");
}

TEST(PrintTensor, FloatsFarApartTakeExponents) {
  using Row = std::vector<double>;
  for (const auto& [row, text] :
       {std::pair(Row{1e-05, 1.0}, "[1.e-05 1.e+00]"), std::pair(Row{100000000.0, 1.0}, "[1.e+08 1.e+00]"),
        std::pair(Row{1e+100, 100000.0}, "[1.e+100 1.e+005]"), std::pair(Row{0.0001, 0.1}, "[0.0001 0.1   ]"),
        std::pair(Row{1.0, 1001.0}, "[1.000e+00 1.001e+03]"),
        std::pair(Row{5e-324, 1.7976931348623157e+308}, "[4.94065646e-324 1.79769313e+308]")})
    EXPECT_EQ(Doubles({static_cast<int64_t>(row.size())}, row), text);
  EXPECT_EQ(Floats({2}, {0.10000000149011612, 1000000000.0}), "[1.e-01 1.e+09]");
  EXPECT_EQ(Floats({3}, {16777216.0, 0.0010000000474974513, 3.1415927410125732}),
            "[1.6777216e+07 1.0000000e-03 3.1415927e+00]");
}

TEST(PrintTensor, NanAndInfinityTakeTheWidthOfTheOthers) {
  using Row = std::vector<double>;
  for (const auto& [row, text] :
       {std::pair(Row{kNan, 1.0}, "[nan  1.]"), std::pair(Row{kInf, -1.25}, "[  inf -1.25]"),
        std::pair(Row{-kInf, 1.0}, "[-inf   1.]"), std::pair(Row{kNan, kNan}, "[nan nan]"),
        std::pair(Row{kInf, -kInf}, "[ inf -inf]"), std::pair(Row{1e+20, kNan, -kInf}, "[1.e+20    nan   -inf]")})
    EXPECT_EQ(Doubles({static_cast<int64_t>(row.size())}, row), text);
}

TEST(PrintTensor, HigherRanksAreSeparatedByBlankLines) {
  EXPECT_EQ(Print<int32_t>(DType::kInt32, {2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7}),
            "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]");
  EXPECT_EQ(Print<int32_t>(DType::kInt32, {2, 1, 1, 2}, {0, 1, 2, 3}), "[[[[0 1]]]\n\n\n [[[2 3]]]]");
}

TEST(PrintTensor, LongRowsAreWrappedAt75Columns) {
  std::vector<int64_t> thousands;
  std::vector<double> thirds;
  for (int64_t i = 0; i < 30; ++i) thousands.push_back(1000 * i);
  for (int i = 0; i < 26; ++i) thirds.push_back(i / 3.0);
  EXPECT_EQ(Print<int64_t>(DType::kInt64, {30}, thousands),
            "[    0  1000  2000  3000  4000  5000  6000  7000  8000  9000 10000 11000\n"
            " 12000 13000 14000 15000 16000 17000 18000 19000 20000 21000 22000 23000\n"
            " 24000 25000 26000 27000 28000 29000]");
  EXPECT_EQ(Doubles({2, 13}, thirds),
            "[[0.         0.33333333 0.66666667 1.         1.33333333 1.66666667\n"
            "  2.         2.33333333 2.66666667 3.         3.33333333 3.66666667\n"
            "  4.        ]\n"
            " [4.33333333 4.66666667 5.         5.33333333 5.66666667 6.\n"
            "  6.33333333 6.66666667 7.         7.33333333 7.66666667 8.\n"
            "  8.33333333]]");
}

TEST(PrintTensor, MoreThanAThousandElementsAreSummarised) {
  EXPECT_EQ(PrintRange({1000}).find("..."), std::string::npos);
  EXPECT_EQ(PrintRange({1001}), "[   0    1    2 ...  998  999 1000]");
  EXPECT_EQ(PrintRange({30, 40}),
            "[[   0    1    2 ...   37   38   39]\n"
            " [  40   41   42 ...   77   78   79]\n"
            " [  80   81   82 ...  117  118  119]\n"
            " ...\n"
            " [1080 1081 1082 ... 1117 1118 1119]\n"
            " [1120 1121 1122 ... 1157 1158 1159]\n"
            " [1160 1161 1162 ... 1197 1198 1199]]");
  EXPECT_EQ(PrintRange({2, 600}), "[[   0    1    2 ...  597  598  599]\n [ 600  601  602 ... 1197 1198 1199]]");
  EXPECT_EQ(PrintRange({1001, 1, 1}),
            "[[[   0]]\n\n [[   1]]\n\n [[   2]]\n\n ...\n\n [[ 998]]\n\n [[ 999]]\n\n [[1000]]]");
}

TEST(PrintTensor, SmallFloatsTakeTheDigitsThatTellThemApart) {
  EXPECT_EQ(PrintHalves({0.1, 0.015625}), "[0.1     0.01563]");
  EXPECT_EQ(PrintHalves({0.1, 0.015625, 65504, 6e-08, 2.5}), "[9.998e-02 1.563e-02 6.550e+04 5.960e-08 2.500e+00]");
  EXPECT_EQ(PrintHalves({4964, 12345, 0.5}), "[4.9640e+03 1.2344e+04 5.0000e-01]");
  EXPECT_EQ(Print<uint16_t>(DType::kBFloat16, {2}, {BFloat16FromDouble(0.1), BFloat16FromDouble(3)}), "[0.1 3. ]");
  EXPECT_EQ(Print<uint8_t>(DType::kFloat8E4M3FN, {4}, {0x1d, 0xb8, 0x58, 0x7f}), "[ 0.1 -1.  16.   nan]");
  EXPECT_EQ(Print<uint8_t>(DType::kFloat8E5M2, {2}, {0x7c, 0x3c}), "[inf  1.]");
}

}  // namespace
}  // namespace opsrun::host
