// host/tensor/random.cc: random tensors. Uses only floating-point operations that IEEE 754 defines exactly, so it has
// its own logarithm. fma is explicit, so that a compiler cannot choose where to use it.
//
// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "host/tensor/number_type.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {
namespace {

constexpr uint64_t kGamma = 0x9E3779B97F4A7C15;

template <size_t N>
double Polynomial(const std::array<double, N>& coefficients, double x) {
  double sum = coefficients[N - 1];
  for (size_t i = N - 1; i-- > 0;) sum = std::fma(sum, x, coefficients[i]);
  return sum;
}

// The natural logarithm of a positive normal number: that of its power of two, and the series of artanh for the rest.
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
  const double square = s * s;
  double sum = 0;
  for (int term = kTerms; term > 0; --term) sum = std::fma(sum, square, 1.0 / (2 * term - 1));
  const double low = std::fma(2 * s, sum, exponent * kLowLn2);
  return std::fma(exponent, kHighLn2, low);
}

// Wichura, Algorithm AS 241, PPND16. Requires: 0 < p < 1.
double NormalQuantile(double p) {
  constexpr std::array<double, 8> a = {3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                                       1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                                       3.3430575583588128105e+4, 2.5090809287301226727e+3};
  constexpr std::array<double, 8> b = {1.0000000000000000000e0,  4.2313330701600911252e+1, 6.8718700749205790830e+2,
                                       5.3941960214247511077e+3, 2.1213794301586595867e+4, 3.9307895800092710610e+4,
                                       2.8729085735721942674e+4, 5.2264952788528545610e+3};
  constexpr std::array<double, 8> c = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                                       3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                                       2.27238449892691845833e-2, 7.74545014278341407640e-4};
  constexpr std::array<double, 8> d = {1.0000000000000000000e0,   2.05319162663775882187e0,  1.67638483018380384940e0,
                                       6.89767334985100004550e-1, 1.48103976427480074590e-1, 1.51986665636164571966e-2,
                                       5.47593808499534494600e-4, 1.05075007164441684324e-9};
  constexpr std::array<double, 8> e = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                                       2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                       2.71155556874348757815e-5, 2.01033439929228813265e-7};
  constexpr std::array<double, 8> f = {1.0000000000000000000e0,   5.99832206555887937690e-1, 1.36929880922735805310e-1,
                                       1.48753612908506148525e-2, 7.86869131145613259100e-4, 1.84631831751005468180e-5,
                                       1.42151175831644588870e-7, 2.04426310338993978564e-15};
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) {
    const double r = std::fma(-q, q, 0.180625);
    return q * Polynomial(a, r) / Polynomial(b, r);
  }
  const double r = std::sqrt(-Log(q < 0 ? p : 1 - p));
  const double x =
      r <= 5 ? Polynomial(c, r - 1.6) / Polynomial(d, r - 1.6) : Polynomial(e, r - 5) / Polynomial(f, r - 5);
  return q < 0 ? -x : x;
}

double Draw(const Distribution& distribution, uint64_t bits) {
  const bool normal = distribution.kind == Distribution::Kind::kNormal;
  return std::fma(distribution.scale, normal ? NormalFromBits(bits) : UnitFromBits(bits), distribution.offset);
}

// range + 1 may be 2^64, which does not fit 64 bits.
uint64_t DrawInt(const Distribution& distribution, uint64_t bits) {
  __extension__ using Wide = unsigned __int128;
  return distribution.low + static_cast<uint64_t>(static_cast<Wide>(bits) * (Wide{distribution.range} + 1) >> 64);
}

template <typename T, typename Make>
void Fill(void* to, int64_t count, Make make) {
  for (int64_t i = 0; i < count; ++i) static_cast<T*>(to)[i] = static_cast<T>(make(static_cast<uint64_t>(i)));
}

}  // namespace

uint64_t RandomBits(uint64_t seed, uint64_t k) {
  uint64_t z = seed + (k + 1) * kGamma;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

double UnitFromBits(uint64_t bits) {
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

double NormalFromBits(uint64_t bits) {
  return NormalQuantile((static_cast<double>(bits >> 12) + 0.5) * 0x1p-52);
}

void FillRandom(Tensor& tensor, uint64_t seed, const Distribution& distribution) {
  void* const to = tensor.mutable_data();
  const int64_t count = tensor.num_elements();
  const auto number = [&](uint64_t k) { return Draw(distribution, RandomBits(seed, k)); };
  const auto integer = [&](uint64_t k) { return DrawInt(distribution, RandomBits(seed, k)); };
  WithNumberType(tensor.dtype(), [&]<typename T>(T) {
    if constexpr (std::is_integral_v<T>) {
      Fill<T>(to, count, integer);
    } else if constexpr (kIsComplex<T>) {
      Fill<typename T::value_type>(to, 2 * count, number);
    } else {
      Fill<T>(to, count, number);
    }
  });
}

}  // namespace opsrun::host
