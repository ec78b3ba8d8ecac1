// SPDX-License-Identifier: Apache-2.0
#include "host/tensor/number_type.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

namespace opsrun::host {
namespace {

constexpr int kDoubleFraction = 52;
constexpr int kDoubleBias = 1023;

// number / 2^bits, to nearest, ties to even. Requires: 1 <= bits <= 62, and number < 2^62.
uint64_t Rounded(uint64_t number, int bits) {
  return (number + (uint64_t{1} << (bits - 1)) - 1 + (number >> bits & 1)) >> bits;
}

// The code of a magnitude, without an upper limit. Codes are ordered like their numbers, so a carry out of the fraction
// leads to the next exponent, and from subnormal to normal numbers.
uint64_t CodeOf(const Float8Format& format, double magnitude) {
  const auto bits = std::bit_cast<uint64_t>(magnitude);
  constexpr uint64_t kOne = uint64_t{1} << kDoubleFraction;
  const int exponent = static_cast<int>(bits >> kDoubleFraction) - kDoubleBias;
  const int least = 1 - format.bias;
  const int drop = kDoubleFraction - format.fraction_bits + std::max(least - exponent, 0);
  if (drop > kDoubleFraction + 1) return 0;  // less than half of the smallest number
  const uint64_t fraction = Rounded((bits & (kOne - 1)) | kOne, drop);
  return (static_cast<uint64_t>(std::max(exponent - least, 0)) << format.fraction_bits) + fraction;
}

}  // namespace

uint8_t Float8FromDouble(const Float8Format& format, double value) {
  const uint8_t sign = std::signbit(value) ? 0x80 : 0;
  if (std::isnan(value)) return format.nan | sign;
  const uint64_t code = CodeOf(format, std::abs(value));
  if (code > format.largest) return format.overflow | sign;
  return static_cast<uint8_t>(code) | (format.one_zero && code == 0 ? 0 : sign);
}

float Float8ToFloat(const Float8Format& format, uint8_t bits) {
  const uint8_t code = bits & 0x7f;
  const float sign = bits < 0x80 ? 1.0f : -1.0f;
  if (format.one_zero ? bits == format.nan : code > format.overflow || code == format.nan) {
    return std::copysign(std::numeric_limits<float>::quiet_NaN(), sign);
  }
  if (code > format.largest) return sign * std::numeric_limits<float>::infinity();
  const int exponent = code >> format.fraction_bits;
  const int fraction = code & ((1 << format.fraction_bits) - 1);
  const int one = exponent == 0 ? 0 : 1 << format.fraction_bits;
  return sign *
         std::ldexp(static_cast<float>(one + fraction), std::max(exponent, 1) - format.bias - format.fraction_bits);
}

namespace {

// Rounding to the nearest float and then to 16 bits would round twice. For a value between two floats, the float with
// an odd last bit is on the same side as the value of all 16-bit numbers and of the midpoints between them.
float RoundedToOdd(double value) {
  const auto nearest = static_cast<float>(value);
  if (double{nearest} == value || std::isnan(value)) return nearest;
  const auto bits = std::bit_cast<uint32_t>(nearest);
  const bool away = std::abs(double{nearest}) > std::abs(value);
  return std::bit_cast<float>((away ? bits - 1 : bits) | 1);
}

}  // namespace

uint16_t HalfFromDouble(double value) {
  return Eigen::numext::bit_cast<uint16_t>(Eigen::half(RoundedToOdd(value)));
}
uint16_t BFloat16FromDouble(double value) {
  return Eigen::numext::bit_cast<uint16_t>(Eigen::bfloat16(RoundedToOdd(value)));
}

float HalfToFloat(uint16_t bits) {
  return static_cast<float>(Eigen::numext::bit_cast<Eigen::half>(bits));
}
float BFloat16ToFloat(uint16_t bits) {
  return static_cast<float>(Eigen::numext::bit_cast<Eigen::bfloat16>(bits));
}

namespace {

// Holds every double in either notation.
using Buffer = std::array<char, 800>;

template <typename... Args>
std::string_view ToChars(Buffer& buffer, Args... args) {
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), args...);
  return {buffer.data(), static_cast<size_t>(result.ptr - buffer.data())};
}

void TrimZeros(Decimal& decimal) {
  const size_t last = decimal.digits.find_last_not_of('0');
  decimal.digits.resize(last == std::string::npos ? 1 : last + 1);
  if (last == std::string::npos) decimal.exponent = 0;
}

// "-1.25e+02"
Decimal FromScientific(std::string_view text) {
  Decimal decimal;
  const size_t e = text.find('e');
  for (const char c : text.substr(0, e)) {
    if (c == '-') decimal.negative = true;
    if (c >= '0' && c <= '9') decimal.digits += c;
  }
  const char* exponent = text.data() + e + (text[e + 1] == '+' ? 2 : 1);
  std::from_chars(exponent, text.data() + text.size(), decimal.exponent);
  TrimZeros(decimal);
  return decimal;
}

bool SameIn(DType format, double a, double b) {
  return WithNumberType(format, [&]<typename T>(T) {
    if constexpr (kIsSmallFloat<T>) {
      return T(a).bits == T(b).bits;
    } else {
      return a == b;
    }
  });
}

double Parse(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// to_chars does not support 8 and 16 bits. Numbers are closer together below a power of two than above it: there, the
// nearest text may round to another number although the next text, farther from zero, does not.
Decimal ShortestOfSmall(double value, DType format) {
  Buffer buffer;
  for (int fraction = 0;; ++fraction) {
    const std::string_view nearest = ToChars(buffer, value, std::chars_format::scientific, fraction);
    const double parsed = Parse(nearest);
    const Decimal decimal = FromScientific(nearest);
    if (SameIn(format, parsed, value)) return decimal;
    const double step = std::copysign(std::pow(10.0, decimal.exponent - fraction), value);
    const std::string_view next = ToChars(buffer, parsed + step, std::chars_format::scientific, fraction);
    if (SameIn(format, Parse(next), value)) return FromScientific(next);
  }
}

}  // namespace

Decimal ShortestDecimal(double value, DType format) {
  Buffer buffer;
  if (format == DType::kFloat64) return FromScientific(ToChars(buffer, value, std::chars_format::scientific));
  if (format == DType::kFloat32) {
    return FromScientific(ToChars(buffer, static_cast<float>(value), std::chars_format::scientific));
  }
  return ShortestOfSmall(value, format);
}

std::string FixedText(double value, int fraction) {
  Buffer buffer;
  return std::string(ToChars(buffer, value, std::chars_format::fixed, fraction));
}

Decimal RoundedScientific(double value, int fraction) {
  Buffer buffer;
  return FromScientific(ToChars(buffer, value, std::chars_format::scientific, fraction));
}

std::string IntegerDigits(const Decimal& decimal) {
  if (decimal.exponent < 0) return "0";
  std::string digits = decimal.digits.substr(0, static_cast<size_t>(decimal.exponent) + 1);
  digits.resize(static_cast<size_t>(decimal.exponent) + 1, '0');
  return digits;
}

std::string FractionDigits(const Decimal& decimal) {
  if (decimal.digits == "0") return {};
  if (decimal.exponent < 0) return std::string(static_cast<size_t>(-decimal.exponent) - 1, '0') + decimal.digits;
  const size_t integers = static_cast<size_t>(decimal.exponent) + 1;
  return integers < decimal.digits.size() ? decimal.digits.substr(integers) : std::string();
}

namespace {

// YAML 1.1 does not read "1e-05" as a number, but "1.0e-05".
std::string WithPoint(std::string text) {
  if (text.find_first_not_of("0123456789-+e") != std::string::npos) return text;
  return text.insert(std::min(text.find('e'), text.size()), ".0");
}

// The exact value, not rounded.
std::string AllDigits(double number) {
  constexpr int kMostDigits = 767;
  const Decimal decimal = RoundedScientific(number, kMostDigits - 1);
  return fmt::format("{}{}.{}e{:+}", decimal.negative ? "-" : "", decimal.digits[0], decimal.digits.substr(1),
                     decimal.exponent);
}

// The shortest text that is parsed as the same bits.
template <typename T>
std::string ShortText(T number) {
  if (!std::isfinite(double{number})) return ExactText(double{number});
  for (int digits = 1;; ++digits) {
    const std::string text = fmt::format("{:.{}g}", double{number}, digits);
    if (NearestNumber<T>(text).bits == number.bits) return WithPoint(text);
  }
}

}  // namespace

std::string ExactText(double number) {
  if (std::isnan(number)) return ".nan";
  if (std::isinf(number)) return number < 0 ? "-.inf" : ".inf";
  const std::string text = fmt::format("{}", number);
  // A float attr is parsed as a float, so the text must round to the same float as the number.
  const bool same = NearestNumber<float>(text) == static_cast<float>(number);
  return same ? WithPoint(text) : AllDigits(number);
}

std::string ExactText(float number) {
  if (!std::isfinite(number)) return ExactText(double{number});
  const std::string text = fmt::format("{}", number);
  // JSON readers parse it as a double first.
  const bool same = static_cast<float>(NearestDouble(text)) == number;
  return same ? WithPoint(text) : ExactText(double{number});
}

std::string ExactText(const Tensor& tensor, int64_t i) {
  if (tensor.dtype() == DType::kBool) return ElementAt<uint8_t>(tensor, i) != 0 ? "true" : "false";
  return WithNumberType(tensor.dtype(), [&]<typename T>(T number) {
    number = ElementAt<T>(tensor, i);
    if constexpr (std::is_integral_v<T>) {
      return std::to_string(number);
    } else if constexpr (kIsComplex<T>) {
      return fmt::format("{}{:+}j", number.real(), number.imag());  // Python's spelling, which graph files also use
    } else if constexpr (kIsSmallFloat<T>) {
      return ShortText(number);
    } else {
      return ExactText(number);
    }
  });
}

}  // namespace opsrun::host
