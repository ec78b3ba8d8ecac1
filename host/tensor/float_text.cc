// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>

#include "host/tensor/number_type.h"

namespace opsrun::host {
namespace {

constexpr int kPrecision = 8;

// Whether positive numbers have a '+', as imaginary parts do.
enum class Sign { kMinusOnly, kAlways };

std::string SignText(bool negative, Sign sign) {
  return negative ? "-" : sign == Sign::kAlways ? "+" : "";
}

std::string NonFinite(double value, Sign sign) {
  if (std::isnan(value)) return SignText(false, sign) + "nan";
  return SignText(value < 0, sign) + "inf";
}

std::string ExponentText(int exponent, size_t digits) {
  return fmt::format("e{}{:0{}}", exponent < 0 ? '-' : '+', std::abs(exponent), digits);
}

size_t ExponentDigits(int exponent) {
  return std::max<size_t>(2, std::to_string(std::abs(exponent)).size());
}

// One number in scalar notation. point_zero: integers are written as "1.0".
std::string ScalarText(double value, DType format, bool point_zero, Sign sign) {
  if (!std::isfinite(value)) return NonFinite(value, sign);
  const double magnitude = std::fabs(value);
  const bool positional = magnitude == 0 || (magnitude >= 1e-4 && magnitude < 1e16);
  const Decimal decimal = ShortestDecimal(value, format);
  const std::string prefix = SignText(decimal.negative, sign);
  if (positional) {
    const std::string fraction = FractionDigits(decimal);
    if (fraction.empty()) return prefix + IntegerDigits(decimal) + (point_zero ? ".0" : "");
    return fmt::format("{}{}.{}", prefix, IntegerDigits(decimal), fraction);
  }
  const std::string fraction = decimal.digits.substr(1);
  return fmt::format("{}{}{}{}{}", prefix, decimal.digits[0], fraction.empty() ? "" : ".", fraction,
                     ExponentText(decimal.exponent, 2));
}

// NumPy divides in the array's own format, where rounding may make the quotient exactly 1000.
bool RatioAbove1000(double largest, double smallest, DType format) {
  if (format == DType::kFloat64) return largest / smallest > 1000;
  const float ratio = static_cast<float>(largest) / static_cast<float>(smallest);
  return (format == DType::kFloat16 ? HalfToFloat(HalfFromDouble(ratio)) : ratio) > 1000;
}

bool NeedsExponents(const std::vector<double>& values, DType format) {
  double largest = 0;
  double smallest = std::numeric_limits<double>::infinity();
  for (const double value : values) {
    if (value == 0) continue;
    largest = std::max(largest, std::fabs(value));
    smallest = std::min(smallest, std::fabs(value));
  }
  return largest > 0 && (largest >= 1e8 || smallest < 1e-4 || RatioAbove1000(largest, smallest, format));
}

// A number in three parts that are aligned separately.
struct Parts {
  std::string integer;   // with its sign
  std::string fraction;  // without the point
  int exponent = 0;
};

// Digits after the point of the scientific notation.
int FractionLength(const Decimal& decimal) {
  return static_cast<int>(decimal.digits.size()) - 1;
}

// Integers are exact to their last digit; fractions are as short as possible.
Parts PositionalParts(double value, DType format, Sign sign) {
  const Decimal decimal = ShortestDecimal(value, format);
  const std::string prefix = SignText(decimal.negative, sign);
  const int length = FractionLength(decimal) - decimal.exponent;
  if (length >= 0 && length <= kPrecision) return {prefix + IntegerDigits(decimal), FractionDigits(decimal)};
  const std::string text = FixedText(std::fabs(value), length < 0 ? 0 : kPrecision);
  const size_t point = std::min(text.find('.'), text.size());
  const size_t last = text.find_last_not_of('0');
  return {prefix + text.substr(0, point), last > point ? text.substr(point + 1, last - point) : ""};
}

std::vector<Parts> PositionalNumbers(const std::vector<double>& values, DType format, Sign sign) {
  std::vector<Parts> numbers;
  for (const double value : values) numbers.push_back(PositionalParts(value, format, sign));
  return numbers;
}

int ScientificFraction(double value, DType format) {
  const int shortest = FractionLength(ShortestDecimal(value, format));
  return shortest > kPrecision ? FractionLength(RoundedScientific(value, kPrecision)) : shortest;
}

Parts ScientificParts(double value, DType format, Sign sign, int fraction) {
  Decimal decimal = ShortestDecimal(value, format);
  if (FractionLength(decimal) != fraction) decimal = RoundedScientific(value, fraction);
  return {SignText(decimal.negative, sign) + decimal.digits[0], decimal.digits.substr(1), decimal.exponent};
}

// All numbers have as many digits as the longest one needs; the others are exact to that many.
std::vector<Parts> ScientificNumbers(const std::vector<double>& values, DType format, Sign sign) {
  int fraction = 0;
  for (const double value : values) fraction = std::max(fraction, ScientificFraction(value, format));
  std::vector<Parts> numbers;
  for (const double value : values) numbers.push_back(ScientificParts(value, format, sign, fraction));
  return numbers;
}

struct Widths {
  size_t integer = 0;
  size_t fraction = 0;
  size_t exponent = 0;  // digits; 0 in positional notation
  size_t right() const { return exponent == 0 ? fraction : fraction + exponent + 2; }
};

Widths WidthsOf(const std::vector<Parts>& numbers, bool exponents) {
  Widths widths;
  for (const Parts& number : numbers) {
    widths.integer = std::max(widths.integer, number.integer.size());
    widths.fraction = std::max(widths.fraction, number.fraction.size());
    if (exponents) widths.exponent = std::max(widths.exponent, ExponentDigits(number.exponent));
  }
  return widths;
}

void WidenForNonFinite(const std::vector<double>& values, Sign sign, Widths& widths) {
  const bool negative =
      std::find(values.begin(), values.end(), -std::numeric_limits<double>::infinity()) != values.end();
  const size_t text = sign == Sign::kAlways || negative ? 4 : 3;
  const size_t beyond_point = widths.right() + 1;
  if (text > beyond_point) widths.integer = std::max(widths.integer, text - beyond_point);
}

std::string Aligned(const Parts& number, const Widths& widths) {
  const std::string integer = fmt::format("{:>{}}", number.integer, widths.integer);
  if (widths.exponent == 0) return fmt::format("{}.{:<{}}", integer, number.fraction, widths.fraction);
  return fmt::format("{}.{:0<{}}{}", integer, number.fraction, widths.fraction,
                     ExponentText(number.exponent, widths.exponent));
}

std::vector<std::string> Column(const std::vector<double>& values, DType format, Sign sign) {
  std::vector<double> finite;
  std::copy_if(values.begin(), values.end(), std::back_inserter(finite),
               [](double value) { return std::isfinite(value); });
  const bool exponents = NeedsExponents(finite, format);
  const std::vector<Parts> numbers =
      exponents ? ScientificNumbers(finite, format, sign) : PositionalNumbers(finite, format, sign);
  Widths widths = WidthsOf(numbers, exponents);
  if (finite.size() < values.size()) WidenForNonFinite(values, sign, widths);
  const size_t width = widths.integer + 1 + widths.right();
  std::vector<std::string> column;
  auto next = numbers.begin();
  for (const double value : values) {
    column.push_back(std::isfinite(value) ? Aligned(*next++, widths)
                                          : fmt::format("{:>{}}", NonFinite(value, sign), width));
  }
  return column;
}

}  // namespace

std::string FloatText(double value, DType format) {
  return ScalarText(value, format, true, Sign::kMinusOnly);
}

std::string FloatText(std::complex<double> value, DType format) {
  if (value.real() == 0 && !std::signbit(value.real())) {
    return ScalarText(value.imag(), format, false, Sign::kMinusOnly) + "j";
  }
  return fmt::format("({}{}j)", ScalarText(value.real(), format, false, Sign::kMinusOnly),
                     ScalarText(value.imag(), format, false, Sign::kAlways));
}

std::vector<std::string> FloatColumn(const std::vector<double>& values, DType format) {
  return Column(values, format, Sign::kMinusOnly);
}

std::vector<std::string> FloatColumn(const std::vector<std::complex<double>>& values, DType format) {
  std::vector<double> real(values.size());
  std::vector<double> imag(values.size());
  std::transform(values.begin(), values.end(), real.begin(), [](std::complex<double> value) { return value.real(); });
  std::transform(values.begin(), values.end(), imag.begin(), [](std::complex<double> value) { return value.imag(); });
  std::vector<std::string> column = Column(real, format, Sign::kMinusOnly);
  const std::vector<std::string> imaginary = Column(imag, format, Sign::kAlways);
  for (size_t i = 0; i < column.size(); ++i) {
    std::string text = imaginary[i];
    text.insert(text.find_last_not_of(' ') + 1, "j");
    column[i] += text;
  }
  return column;
}

}  // namespace opsrun::host
