// plugins/math_ops/complex_test.cc: functions of complex numbers where a part is infinite, NaN, very large or very
// small, and on both sides of their branch cuts: as in Annex G of the C standard.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <complex>

#include "opsrun/testing.h"

namespace {

using namespace opsrun::test;

constexpr double kPi = 3.14159265358979323846;

struct Case {
  const char* op;
  std::vector<std::complex<double>> in, out;
};

template <typename Part>
class ComplexFunctions : public OpTest {
 protected:
  typedef std::complex<Part> Number;

  static std::vector<Number> Of(const std::vector<std::complex<double>>& numbers) {
    return std::vector<Number>(numbers.begin(), numbers.end());
  }
  void Check(const Case& one) {
    SCOPED_TRACE(one.op);
    const auto n = static_cast<int64_t>(one.in.size());
    Op(one.op).Input<Number>({n}, Of(one.in));
    Run();
    ExpectOutputNear<Number>(0, {n}, Of(one.out), kTolerance);
  }
  void CheckPart(const char* part, const char* op, std::complex<double> in, double out) {
    SCOPED_TRACE(op);
    const Node whole = Op(op).Input<Number>({1}, Of({in}));
    const Node node = Add(part).Input(whole).Attr("Tout", sizeof(Part) == 4 ? "float32" : "float64");
    Run();
    ExpectOutputNear(node, 0, ArrayOf<Part>({1}, {static_cast<Part>(out)}), kTolerance);
  }

 private:
  static constexpr Tolerance kTolerance = {sizeof(Part) == 4 ? 1e-5 : 1e-13, 0};
};
typedef ::testing::Types<float, double> Parts;
TYPED_TEST_SUITE(ComplexFunctions, Parts);

TYPED_TEST(ComplexFunctions, OfInfinityAndNaN) {
  const double inf = INFINITY, nan = NAN;
  const Case cases[] = {
      {"Exp",
       {{inf, 1}, {-inf, 3}, {inf, inf}, {-inf, nan}, {nan, 0}, {1, inf}},
       {{inf, inf}, {0, 0}, {inf, nan}, {0, 0}, {nan, 0}, {nan, nan}}},
      {"Log", {{0, 0}, {-inf, inf}, {nan, -inf}, {1, nan}}, {{-inf, 0}, {inf, 0.75 * kPi}, {inf, nan}, {nan, nan}}},
      {"Sqrt",
       {{nan, inf}, {-inf, 2}, {inf, -2}, {-inf, nan}, {1, nan}},
       {{inf, inf}, {0, inf}, {inf, -0.}, {nan, inf}, {nan, nan}}},
      {"Rsqrt", {{0, 0}, {inf, 3}, {3, -inf}, {nan, 1}}, {{inf, nan}, {0, 0}, {0, 0}, {nan, nan}}},
      {"Sin", {{1, inf}, {inf, 0}, {0, nan}, {nan, 1}}, {{inf, inf}, {nan, 0}, {0, nan}, {nan, nan}}},
      {"Cos", {{1, inf}, {inf, 0}, {0, inf}, {nan, 1}}, {{inf, -inf}, {nan, 0}, {inf, 0}, {nan, nan}}},
      {"Tanh",
       {{inf, 1}, {-inf, nan}, {0, inf}, {99, inf}, {nan, 0}},
       {{1, 0}, {-1, 0}, {0, nan}, {nan, nan}, {nan, 0}}},
      {"Tan", {{1, inf}, {nan, -inf}, {inf, 0}, {inf, 99}}, {{0, 1}, {0, -1}, {nan, 0}, {nan, nan}}},
      {"Sigmoid", {{inf, 0}, {-inf, 0}, {-inf, nan}, {nan, 0}}, {{1, 0}, {0, 0}, {0, 0}, {nan, nan}}},
      {"Sign", {{inf, 1}, {-0., -inf}, {inf, inf}, {0, 0}}, {{1, 0}, {0, -1}, {nan, nan}, {0, 0}}},
  };
  for (const Case& one : cases) this->Check(one);
}

TYPED_TEST(ComplexFunctions, OnBothSidesOfTheirBranchCuts) {
  this->Check({"Log", {{-1, 0.}, {-1, -0.}}, {{0, kPi}, {0, -kPi}}});
  this->Check({"Log1p", {{-3, 0.}, {-3, -0.}}, {{std::log(2), kPi}, {std::log(2), -kPi}}});
  this->Check({"Sqrt", {{-4, 0.}, {-4, -0.}}, {{0, 2}, {0, -2}}});
  this->Check({"Rsqrt", {{-4, 0.}, {-4, -0.}}, {{0, -0.5}, {0, 0.5}}});
}

// Where a power of e overflows, or a square does, or a difference cancels.
TYPED_TEST(ComplexFunctions, OfLargeAndSmallNumbers) {
  const bool wide = sizeof(TypeParam) == 8;
  const double exponent = wide ? 720 : 90, tiny = wide ? 1e-60 : 1e-8;
  const double power = wide ? std::exp(660) * (std::exp(60) * 1e-60) : std::exp(90) * 1e-8;
  this->CheckPart("Imag", "Exp", {exponent, tiny}, power);
  this->CheckPart("Real", "Sin", {tiny, exponent}, power / 2);
  this->CheckPart("Imag", "Cos", {tiny, exponent}, -power / 2);
  this->Check({"Tanh", {{exponent, 1}, {-exponent, 1}}, {{1, 0}, {-1, 0}}});
  const double max = std::numeric_limits<TypeParam>::max(), min = std::numeric_limits<TypeParam>::min();
  this->Check({"Log",
               {{max, max}, {min, -min}},
               {{std::log(max) + std::log(2) / 2, kPi / 4}, {std::log(min) + std::log(2) / 2, -kPi / 4}}});
  this->Check({"Sqrt", {{0, max}, {min, 0}}, {{std::sqrt(max / 2), std::sqrt(max / 2)}, {std::sqrt(min), 0}}});
  const double small = wide ? 1e-9 : 0x1p-10;
  this->Check({"Log", {{1, small}}, {{small * small / 2, small}}});
}

TYPED_TEST(ComplexFunctions, PowersOfZeroAndInfinity) {
  typedef std::complex<TypeParam> Number;
  const auto inf = static_cast<TypeParam>(INFINITY), nan = static_cast<TypeParam>(NAN);
  this->Op("Pow")
      .template Input<Number>({6}, {0, 0, 0, {inf, 1}, {inf, nan}, {3, 4}})
      .template Input<Number>({6}, {TypeParam(2.5), {1, 1}, 0, -1, -1, 2});
  this->Run();
  this->template ExpectOutputNear<Number>(0, {6}, {0, 0, {nan, nan}, 0, 0, {-7, 24}}, {1e-6, 0});
}

}  // namespace
