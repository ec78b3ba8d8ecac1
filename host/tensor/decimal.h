// host/tensor/decimal.h: floating-point numbers as decimal digits, for graph files and as NumPy prints them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

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

// The exact value, rounded to `fraction` digits after the point, ties to even, in scientific and in positional notation
// ("-0.00125000"). Requires: value is finite.
Decimal RoundedScientific(double value, int fraction);
std::string FixedText(double value, int fraction);

// The digits before and after the point in positional notation, without the sign. At least one each, except that an
// integer has no digits after the point.
std::string IntegerDigits(const Decimal& decimal);
std::string FractionDigits(const Decimal& decimal);

// For graph files: text that is parsed as the same number. It has a decimal point even for an integral value (2.0,
// because 2 would be an integer); .nan, .inf, -.inf. The text of a double, parsed as a float, gives the same float as
// converting the double. The text of a float gives that float even if it is parsed as a double first.
std::string ExactText(double number);
std::string ExactText(float number);

// Element i of a tensor of numbers or booleans.
std::string ExactText(const Tensor& tensor, int64_t i);

// str() of a NumPy scalar, with all required digits: "1.0", "1e+16", "(1+2j)".
std::string FloatText(double value, DType format);
std::string FloatText(std::complex<double> value, DType format);

// The numbers of one array, all in the same notation and width, precision 8. Requires: the values are numbers of
// `format`.
std::vector<std::string> FloatColumn(const std::vector<double>& values, DType format);
std::vector<std::string> FloatColumn(const std::vector<std::complex<double>>& values, DType format);

// The number of a type that is nearest to a decimal text, rounded once.
//
// Rounding to double and then to a narrower type would round twice. The double is on the same side as the text of every
// midpoint between two numbers of T, unless it is such a midpoint itself: then the text decides.

template <typename T>
bool HaveSameBits(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

// A double that, converted to T, gives the number of T nearest to the text, ties to even: the double nearest to the
// text, or a neighbor of it. T: float, or a float of 8 or 16 bits. Requires: IsDecimalText(text).
template <typename T>
double DoubleFor(std::string_view text) {
  constexpr uint64_t kFiner = (uint64_t{1} << 28) - 1;  // the midpoint of two floats has at most 25 bits
  const double number = NearestDouble(text);
  const auto bits = std::bit_cast<uint64_t>(number);
  if ((bits & kFiner) != 0 || number == 0 || std::isinf(number)) return number;
  const auto below = std::bit_cast<double>(bits - 1), above = std::bit_cast<double>(bits + 1);  // in magnitude
  if (HaveSameBits(T(below), T(above))) return number;
  const int side = CompareMagnitudes(text, number);
  return side == 0 ? number : side < 0 ? below : above;
}

// The number of T nearest to the text; if it is too large, infinity, or NaN in a format without infinity. T: as above,
// or double. Requires: IsDecimalText(text).
template <typename T>
T NearestNumber(std::string_view text) {
  if constexpr (std::is_same_v<T, double>) {
    return NearestDouble(text);
  } else {
    return T(DoubleFor<T>(text));
  }
}

}  // namespace opsrun::host
