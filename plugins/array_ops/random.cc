// plugins/array_ops/random.cc: see random.h.
// SPDX-License-Identifier: Apache-2.0
#include "random.h"

#include <array>
#include <cmath>

namespace array_ops {
namespace {

typedef std::array<double, 8> Coefficients;

double Polynomial(const Coefficients& coefficients, double x) {
  double sum = coefficients[7];
  for (size_t i = 7; i-- > 0;) sum = std::fma(sum, x, coefficients[i]);
  return sum;
}

// The natural logarithm of a normal number above 0: of its power of two, and of the rest by the series of artanh. The
// one of the C library differs from machine to machine.
double Log(double x) {
  constexpr double kHighLn2 = 0x1.62e42fefa39efp-1, kLowLn2 = 0x1.abc9e3b39803fp-56;
  constexpr double kSqrtHalf = 0x1.6a09e667f3bcdp-1;
  constexpr int kTerms = 12;
  int exponent = 0;
  double rest = std::frexp(x, &exponent);
  if (rest < kSqrtHalf) {
    rest *= 2;
    --exponent;
  }
  const double s = (rest - 1) / (rest + 1);
  double sum = 0;
  for (int term = kTerms; term > 0; --term) sum = std::fma(sum, s * s, 1.0 / (2 * term - 1));
  return std::fma(exponent, kHighLn2, std::fma(2 * s, sum, exponent * kLowLn2));
}

// Wichura, Algorithm AS 241, PPND16: one quotient of polynomials for the middle, two for the ends.
struct Quotient {
  Coefficients above, below;

  double operator()(double x) const { return Polynomial(above, x) / Polynomial(below, x); }
};

constexpr Quotient kMiddle = {
    {3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
     4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3},
    {1.0000000000000000000e0, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3,
     2.1213794301586595867e+4, 3.9307895800092710610e+4, 2.8729085735721942674e+4, 5.2264952788528545610e+3}};
constexpr Quotient kNearEnd = {
    {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
     1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4},
    {1.0000000000000000000e0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
     1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9}};
constexpr Quotient kFarEnd = {
    {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
     2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7},
    {1.0000000000000000000e0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
     7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15}};

double NormalQuantile(double p) {
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) return q * kMiddle(std::fma(-q, q, 0.180625));
  const double r = std::sqrt(-Log(q < 0 ? p : 1 - p));
  const double x = r <= 5 ? kNearEnd(r - 1.6) : kFarEnd(r - 5);
  return q < 0 ? -x : x;
}

}  // namespace

double NormalFromBits(uint64_t bits) {
  return NormalQuantile((static_cast<double>(bits >> 12) + 0.5) * 0x1p-52);
}

}  // namespace array_ops
