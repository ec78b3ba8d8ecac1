// absl/numeric/bits.h: counting and rotating bits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <type_traits>

#include "absl/base/config.h"

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

OPSRUN_ABSL_END
