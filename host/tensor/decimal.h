// host/tensor/decimal.h: floating-point numbers as decimal digits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/dtype.h"

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

}  // namespace opsrun::host
