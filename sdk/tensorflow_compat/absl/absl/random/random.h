// absl/random/random.h: absl::BitGen, here std::mt19937_64 with a seed from the system, and Uniform, Bernoulli,
// Gaussian. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>
#include <type_traits>

#include "absl/base/config.h"

OPSRUN_ABSL_BEGIN

class BitGen : public std::mt19937_64 {
 public:
  BitGen() : std::mt19937_64(std::random_device()()) {}
  template <typename Seed>
  explicit BitGen(Seed&& seed) : std::mt19937_64(seed) {}
};
typedef BitGen InsecureBitGen;

namespace internal {
struct IntervalClosedOpenTag {};
struct IntervalClosedTag {};
}  // namespace internal
inline constexpr internal::IntervalClosedOpenTag IntervalClosedOpen = {};
inline constexpr internal::IntervalClosedTag IntervalClosed = {};

template <typename R = void, typename Generator, typename A, typename B>
auto Uniform(internal::IntervalClosedTag, Generator&& generator, A low, B high) {
  typedef std::conditional_t<std::is_void_v<R>, std::common_type_t<A, B>, R> T;
  if constexpr (std::is_floating_point_v<T>) {
    return std::uniform_real_distribution<T>(static_cast<T>(low), static_cast<T>(high))(generator);
  } else {
    return std::uniform_int_distribution<T>(static_cast<T>(low), static_cast<T>(high))(generator);
  }
}
// In [low, high).
template <typename R = void, typename Generator, typename A, typename B>
auto Uniform(internal::IntervalClosedOpenTag, Generator&& generator, A low, B high) {
  typedef std::conditional_t<std::is_void_v<R>, std::common_type_t<A, B>, R> T;
  return Uniform<T>(IntervalClosed, generator, static_cast<T>(low),
                    static_cast<T>(high - (std::is_integral_v<T> ? 1 : 0)));
}
template <typename R = void, typename Generator, typename A, typename B>
auto Uniform(Generator&& generator, A low, B high) {
  return Uniform<R>(IntervalClosedOpen, generator, low, high);
}
template <typename Generator>
bool Bernoulli(Generator&& generator, double p) {
  return std::bernoulli_distribution(p)(generator);
}
template <typename T = double, typename Generator>
T Gaussian(Generator&& generator, T mean = 0, T deviation = 1) {
  return std::normal_distribution<T>(mean, deviation)(generator);
}

OPSRUN_ABSL_END
