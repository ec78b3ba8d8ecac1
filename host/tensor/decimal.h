// host/tensor/decimal.h: floating-point numbers as decimal digits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace opsrun::host {

// The formats differ in which numbers lie between their neighbours, and so in how many digits tell one from the next.
enum class FloatFormat { kDouble, kFloat, kHalf, kBFloat16 };

// digits[0].digits[1..] * 10^exponent; no trailing zeros but for zero itself, which is "0".
struct Decimal {
  bool negative = false;
  std::string digits;
  int exponent = 0;
};

// The fewest digits that tell `value` from its neighbours in `format`, nearest to it among those. Requires: value is
// finite and a number of `format`.
Decimal ShortestDecimal(double value, FloatFormat format);

// The exact value, rounded to `fraction` digits after the point of the scientific or the positional notation, ties to
// even; "-0.00125000" is the latter. Requires: value is finite.
Decimal RoundedScientific(double value, int fraction);
std::string FixedText(double value, int fraction);

// Parts of the positional notation; both hold a digit or more, but the fraction of an integer is "". The sign is the
// caller's.
std::string IntegerDigits(const Decimal& decimal);
std::string FractionDigits(const Decimal& decimal);

}  // namespace opsrun::host
