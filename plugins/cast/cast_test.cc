// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <complex>
#include <limits>

#include "opsrun/testing.h"

namespace {

using namespace opsrun::test;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(CastShape, IsThatOfTheInput) {
  ShapeInferenceTestOp op("Cast");
  INFER_OK(op.Attr("SrcT", "float32").Attr("DstT", "int8"), "[2,?]", "in0");
}

class CastOp : public OpTest {
 protected:
  template <typename To, typename From>
  void Casts(const std::vector<From>& from, const std::vector<To>& to, bool truncate = false) {
    const auto size = static_cast<int64_t>(from.size());
    Op("Cast").Input<From>({size}, from).Attr("DstT", TypeName(kDType<To>)).Attr("Truncate", truncate);
    RunGives<To>(0, {size}, to);
  }
};

TEST_F(CastOp, DropsTheFractionOfAFloat) {
  Casts<int32_t, float>({1.9f, -1.9f, -0.5f, 2147483520.f}, {1, -1, 0, 2147483520});
  Casts<uint8_t, Half>({254.9, 0.99}, {254, 0});
}

TEST_F(CastOp, MakesTheNearestIntegerOfWhatIsBeyondTheRange) {
  Casts<int8_t, double>({128, -129, 127.9, -128.9, kInfinity, -kInfinity, kNan}, {127, -128, 127, -128, 127, -128, 0});
  Casts<uint16_t, float>({-1, 65536, 65535.5f}, {0, 65535, 65535});
  Casts<int64_t, double>({0x1p63, -0x1p63, 0x1.fffffffffffffp62, 1e300},
                         {INT64_MAX, INT64_MIN, 0x7ffffffffffffc00, INT64_MAX});
  Casts<uint64_t, double>({0x1p64, -1, 0x1.fffffffffffffp63}, {UINT64_MAX, 0, 0xfffffffffffff800});
}

TEST_F(CastOp, RoundsOnce) {
  // If they were rounded to float first, these would become ties and round down to the even neighbor.
  Casts<Half, double>({1 + 0x1p-11 + 0x1p-40}, {Half::FromBits(0x3c01)});
  Casts<BFloat16, double>({1 + 0x1p-8 + 0x1p-40, -1 - 0x1p-8 - 0x1p-40},
                          {BFloat16::FromBits(0x3f81), BFloat16::FromBits(0xbf81)});
  Casts<Float8E4M3FN, double>({1.0625 + 0x1p-40}, {Float8E4M3FN(1.125)});
  const int64_t tie = (int64_t{1} << 62) + (int64_t{1} << 54);
  Casts<BFloat16, int64_t>({tie, tie + 1, -tie - 1}, {BFloat16(0x1p62), BFloat16(0x1.02p62), BFloat16(-0x1.02p62)});
  Casts<float, int64_t>({(1 << 24) + 1, INT64_MAX}, {0x1p24f, 0x1p63f});
  Casts<Half, uint64_t>({2049, 2051, UINT64_MAX}, {2048, 2052, kInfinity});
}

TEST_F(CastOp, MakesInfinityOrNanOfWhatAFloatCannotHold) {
  Casts<float, double>({1e300, -1e300, kNan}, {float(kInfinity), -float(kInfinity), float(kNan)});
  Casts<Half, float>({65520}, {kInfinity});
  Casts<Float8E5M2, float>({1e6f}, {kInfinity});
  Casts<Float8E4M3FN, float>({464, 465, float(kInfinity)}, {448, kNan, kNan});
  Casts<Float8E5M2FNUZ, int32_t>({57344, 1 << 20}, {57344, kNan});
}

TEST_F(CastOp, TakesTheRealPartOfAComplexNumber) {
  Casts<float, std::complex<double>>({{1.5, 2}}, {1.5});
  Casts<int32_t, std::complex<float>>({{-1.5, 2}}, {-1});
  Casts<bool, std::complex<float>>({{0, 2}, {1, 0}}, {false, true});
  Casts<std::complex<float>, std::complex<double>>({{1.5, -2}}, {{1.5, -2}});
  Casts<std::complex<double>, int32_t>({-7}, {{-7, 0}});
  Casts<std::complex<float>, Float8E5M2>({-1.5}, {{-1.5, 0}});
}

TEST_F(CastOp, MakesEveryNumberButZeroTrue) {
  Casts<bool, float>({0, -0.0f, 0.1f, float(kNan), -1}, {false, false, true, true, true});
  Casts<bool, Float8E4M3FN>({0, 0.5}, {false, true});
  Casts<float, bool>({true, false}, {1, 0});
  Casts<uint8_t, bool>({true, false}, {1, 0});
}

TEST_F(CastOp, ConvertsBetweenFormatsOf8Bits) {
  Casts<Float8E4M3FN, Float8E5M2>({0.5, -57344, kInfinity}, {0.5, kNan, kNan});
  Casts<Float8E5M2, Float8E4M3FN>({1.125, 448, kNan}, {1, 448, kNan});
  Casts<Float8E4M3B11FNUZ, Float8E4M3FNUZ>({0.125, 30}, {0.125, 30});
}

TEST_F(CastOp, TruncatesIfAsked) {
  Casts<float, double>({1 + 0x1.8p-23, -1 - 0x1.8p-23}, {1 + 0x1p-23f, -1 - 0x1p-23f}, true);
  Casts<Float8E4M3FN, float>({1.24f, -1.24f, 463, float(kNan)}, {1.125, -1.125, 448, kNan}, true);
  Casts<Half, BFloat16>({0.1}, {Half(double(float(BFloat16(0.1))))}, true);
  Casts<std::complex<float>, std::complex<double>>({{1 + 0x1.8p-23, 1}}, {{1 + 0x1p-23f, 1}}, true);
  Casts<int32_t, float>({1.9f}, {1}, true);
}

TEST_F(CastOp, KeepsWhatIsOfTheTypeAlready) {
  Op("Cast").Input<float>({2}, {1, 2}).Late().Attr("DstT", "float");
  Run();
  EXPECT_TRUE(Forwarded(0, 0));
  ExpectOutput<float>(0, {2}, {1, 2});
  Casts<Float8E4M3FN, Float8E4M3FN>({1, 2}, {1, 2});
}

TEST_F(CastOp, ConvertsAnyTypeToAnyOther) {
  std::vector<int32_t> dtypes = NumberTypes();
  for (int32_t dtype = OPSRUN_DT_FLOAT8_E5M2; dtype <= OPSRUN_DT_FLOAT8_E5M2FNUZ; ++dtype) dtypes.push_back(dtype);
  dtypes.push_back(OPSRUN_DT_BOOL);
  for (const int32_t from : dtypes) {
    for (const int32_t to : dtypes) {
      Op("Cast").Input<float>({2}, {0, 1}).Attr("DstT", TypeName(from));
      const auto first = last();
      Add("Cast").Input(first).Attr("DstT", TypeName(to));
      const auto second = last();
      Add("Cast").Input(second).Attr("DstT", "float32");
      RunGives<float>(0, {2}, {0, 1});
    }
  }
}

TEST_F(CastOp, RefusesStrings) {
  Op("Cast").Input<std::string>({1}, {"1"}).Attr("DstT", "int32");
  RunFails("no CPU kernel of 'Cast' fits this node");
}

}  // namespace
