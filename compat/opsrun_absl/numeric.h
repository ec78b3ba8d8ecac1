// opsrun_absl/numeric.h: bits, 128-bit integers, and random numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>

#include "opsrun_absl/base.h"

OPSRUN_ABSL_BEGIN

template <typename T>
int popcount(T x) {
  static_assert(std::is_unsigned_v<T>, "for unsigned numbers");
  return __builtin_popcountll(x);
}
template <typename T>
int countl_zero(T x) {
  static_assert(std::is_unsigned_v<T>, "for unsigned numbers");
  constexpr int kBits = std::numeric_limits<T>::digits;
  return x == 0 ? kBits : __builtin_clzll(x) - (64 - kBits);
}
template <typename T>
int countr_zero(T x) {
  static_assert(std::is_unsigned_v<T>, "for unsigned numbers");
  return x == 0 ? std::numeric_limits<T>::digits : __builtin_ctzll(x);
}
template <typename T>
int bit_width(T x) {
  return std::numeric_limits<T>::digits - countl_zero(x);
}
template <typename T>
bool has_single_bit(T x) {
  return x != 0 && (x & (x - 1)) == 0;
}
template <typename T>
T bit_ceil(T x) {
  return x <= 1 ? T{1} : static_cast<T>(T{1} << bit_width(static_cast<T>(x - 1)));
}
template <typename T>
T bit_floor(T x) {
  return x == 0 ? T{0} : static_cast<T>(T{1} << (bit_width(x) - 1));
}
template <typename T>
T rotl(T x, int n) {
  constexpr int kBits = std::numeric_limits<T>::digits;
  n = (n % kBits + kBits) % kBits;
  return n == 0 ? x : static_cast<T>(x << n | x >> (kBits - n));
}
template <typename T>
T rotr(T x, int n) {
  return rotl(x, -n);
}

// absl::int128 and uint128: the compiler's types.
__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;
inline uint128 MakeUint128(uint64_t high, uint64_t low) {
  return static_cast<uint128>(high) << 64 | low;
}
inline uint64_t Uint128High64(uint128 x) {
  return static_cast<uint64_t>(x >> 64);
}
inline uint64_t Uint128Low64(uint128 x) {
  return static_cast<uint64_t>(x);
}

// absl::BitGen: a std::mt19937_64 with a seed from the system; Uniform, Bernoulli and Gaussian.

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
