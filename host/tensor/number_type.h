// host/tensor/number_type.h: maps a data type to the C++ type of its elements; floating-point numbers as decimal
// digits.
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
#include "host/base/text.h"
#include "host/tensor/tensor.h"

namespace opsrun::host {

// S EEEE MMM or S EEEEE MM. An exponent of 0 marks zero and the subnormal numbers.
struct Float8Format {
  int fraction_bits;
  int bias;
  uint8_t largest;   // code of the largest finite number
  uint8_t overflow;  // code of larger numbers
  uint8_t nan;
  bool one_zero;  // 0x80 is the only NaN
};

inline constexpr Float8Format kE5M2 = {2, 15, 0x7b, 0x7c, 0x7e, false};
inline constexpr Float8Format kE4M3FN = {3, 7, 0x7e, 0x7f, 0x7f, false};
inline constexpr Float8Format kE4M3FNUZ = {3, 8, 0x7f, 0x80, 0x80, true};
inline constexpr Float8Format kE4M3B11FNUZ = {3, 11, 0x7f, 0x80, 0x80, true};
inline constexpr Float8Format kE5M2FNUZ = {2, 16, 0x7f, 0x80, 0x80, true};

// Rounds once, to nearest, ties to even. (ml_dtypes rounds to float first, so it may round twice.)
uint8_t Float8FromDouble(const Float8Format& format, double value);
// Exact.
float Float8ToFloat(const Float8Format& format, uint8_t bits);

// An element of a tensor.
template <const Float8Format& kFormat>
struct Float8 {
  uint8_t bits = 0;
  Float8() = default;
  explicit Float8(double value) : bits(Float8FromDouble(kFormat, value)) {}
  operator double() const { return Float8ToFloat(kFormat, bits); }
};
using Float8E5M2 = Float8<kE5M2>;
using Float8E4M3FN = Float8<kE4M3FN>;
using Float8E4M3FNUZ = Float8<kE4M3FNUZ>;
using Float8E4M3B11FNUZ = Float8<kE4M3B11FNUZ>;
using Float8E5M2FNUZ = Float8<kE5M2FNUZ>;

// Half is IEEE 754 binary16; bfloat16 is the upper half of binary32. Conversion from double rounds once, to nearest,
// ties to even; overflow becomes infinity; NaN stays NaN but loses its payload.
uint16_t HalfFromDouble(double value);
float HalfToFloat(uint16_t bits);
uint16_t BFloat16FromDouble(double value);
float BFloat16ToFloat(uint16_t bits);

// Elements of tensors.
template <uint16_t (*from_double)(double), float (*to_float)(uint16_t)>
struct Float16 {
  uint16_t bits = 0;
  Float16() = default;
  explicit Float16(double value) : bits(from_double(value)) {}
  operator double() const { return to_float(bits); }
};
using Half = Float16<HalfFromDouble, HalfToFloat>;
using BFloat16 = Float16<BFloat16FromDouble, BFloat16ToFloat>;

// Calls fn with a number of the C++ type of an element in memory, and returns its result. Bools are uint8_t, quantized
// types are their integers. Requires: DTypeSize(dtype) != 0.
template <typename Fn>
auto WithNumberType(DType dtype, Fn fn) {
  switch (dtype) {
    case DType::kInt8:
    case DType::kQInt8:
      return fn(int8_t());
    case DType::kInt16:
    case DType::kQInt16:
      return fn(int16_t());
    case DType::kInt32:
    case DType::kQInt32:
      return fn(int32_t());
    case DType::kInt64:
      return fn(int64_t());
    case DType::kUInt16:
    case DType::kQUInt16:
      return fn(uint16_t());
    case DType::kUInt32:
      return fn(uint32_t());
    case DType::kUInt64:
      return fn(uint64_t());
    case DType::kFloat16:
      return fn(Half());
    case DType::kBFloat16:
      return fn(BFloat16());
    case DType::kFloat8E5M2:
      return fn(Float8E5M2());
    case DType::kFloat8E4M3FN:
      return fn(Float8E4M3FN());
    case DType::kFloat8E4M3FNUZ:
      return fn(Float8E4M3FNUZ());
    case DType::kFloat8E4M3B11FNUZ:
      return fn(Float8E4M3B11FNUZ());
    case DType::kFloat8E5M2FNUZ:
      return fn(Float8E5M2FNUZ());
    case DType::kFloat32:
      return fn(float());
    case DType::kFloat64:
      return fn(double());
    case DType::kComplex64:
      return fn(std::complex<float>());
    case DType::kComplex128:
      return fn(std::complex<double>());
    default:  // bool, uint8 and quint8
      return fn(uint8_t());
  }
}

// Floats of 8 and 16 bits, which are structs with their bit pattern.
template <typename T>
inline constexpr bool kIsSmallFloat = requires(T number) {
  number.bits;
};

template <typename T>
inline constexpr bool kIsComplex = !std::is_convertible_v<T, double>;

// A type that holds a number of type T exactly: integers themselves, otherwise double or complex<double>.
template <typename T>
using Wide =
    std::conditional_t<std::is_integral_v<T>, T, std::conditional_t<kIsComplex<T>, std::complex<double>, double>>;

template <typename T>
T ElementAt(const Tensor& tensor, int64_t place) {
  return static_cast<const T*>(tensor.data())[place];
}

// Decimal digits, for graph files and as NumPy prints them.

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
