// host/tensor/nearest.h: the number of a type that is nearest to a decimal text, rounded once.
//
// To the nearest double would be a first rounding, and to a narrower type a second one. A double is on the same side of
// every number in the middle between two of T as the text, unless it is such a middle itself: then the text decides.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "host/base/decimal_text.h"

namespace opsrun::host {

template <typename T>
bool HaveSameBits(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

// The double nearest to the text or, if only that one is rounded as the text would be, its neighbor: converted to T, a
// float or a float of 8 or 16 bits, it is the number of T nearest to the text, ties to even. Requires:
// IsDecimalText(text).
template <typename T>
double DoubleFor(std::string_view text) {
  constexpr uint64_t kFiner = (uint64_t{1} << 28) - 1;  // the middle between two floats has at most 25 bits
  const double number = NearestDouble(text);
  const auto bits = std::bit_cast<uint64_t>(number);
  if ((bits & kFiner) != 0 || number == 0 || std::isinf(number)) return number;
  const auto below = std::bit_cast<double>(bits - 1), above = std::bit_cast<double>(bits + 1);  // in magnitude
  if (HaveSameBits(T(below), T(above))) return number;
  const int side = CompareMagnitudes(text, number);
  return side == 0 ? number : side < 0 ? below : above;
}

// Infinite, or NaN in a format without infinity, if the text is too large for T. Requires: as above, or T is double.
template <typename T>
T NearestNumber(std::string_view text) {
  if constexpr (std::is_same_v<T, double>) {
    return NearestDouble(text);
  } else {
    return T(DoubleFor<T>(text));
  }
}

}  // namespace opsrun::host
