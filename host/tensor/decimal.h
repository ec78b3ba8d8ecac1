// host/tensor/decimal.h: floating-point numbers as decimal digits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

#include "host/base/dtype.h"
#include "host/base/number_text.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

// digits[0].digits[1..] * 10^exponent; no trailing zeros, except for zero itself, which is "0".
struct Decimal {
  bool negative = false;
  std::string digits;
  int exponent = 0;
};

// The fewest digits that distinguish `value` from its neighbors in `format`, and among those the nearest to it.
// Requires: value is finite and a number of `format`, a real floating-point type.
Decimal ShortestDecimal(double value, DType format);

// The exact value, rounded to `fraction` digits after the point of the scientific or the positional notation, ties to
// even; "-0.00125000" is the latter. Requires: value is finite.
Decimal RoundedScientific(double value, int fraction);
std::string FixedText(double value, int fraction);

// The parts of the positional notation. Both have at least one digit, except that the fraction of an integer is "". The
// caller adds the sign.
std::string IntegerDigits(const Decimal& decimal);
std::string FractionDigits(const Decimal& decimal);

// Numbers with all digits that distinguish them from their neighbors, for graph files.

// A decimal number, even for an integral value (2.0, because 2 would be an integer); .nan, .inf, -.inf. Whoever reads
// the text of a double as a float gets what a conversion of the double gives, and the same float from the text of a
// float if a double is read first.
std::string ExactText(double number);
std::string ExactText(float number);

// Element i of a tensor of numbers or booleans.
std::string ExactText(const Tensor& tensor, int64_t i);

// The number of a type that is nearest to a decimal text, rounded once.
//
// To the nearest double would be a first rounding, and to a narrower type a second one. A double is on the same side of
// every number in the middle between two of T as the text, unless it is such a middle itself: then the text decides.

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
