// plugins/cast/conversions.h: conversions of arrays, by data type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "opsrun/types.h"

namespace cast {

// Numbers on their way from one type to another, in one of the wide types.
constexpr int64_t kPiece = 256;
union Piece {
  int64_t ints[kPiece];
  uint64_t naturals[kPiece];
  double reals[2 * kPiece];  // complex numbers are pairs
};

// The bits of a double after the leading one.
constexpr int kAllFractionBits = 52;

// Converts `count` numbers, kPiece at most. `keep`: bits of the fraction that a float is cut to.
using Load = void (*)(const void* from, int64_t count, Piece* piece);
using Store = void (*)(const Piece& piece, int64_t count, int keep, void* to);

struct Conversion {
  Load load = nullptr;
  Store store = nullptr;
};

// Null pointers for types that Cast does not convert.
Conversion ConversionOf(opsrun::DataType from, opsrun::DataType to);

// How many bits of the fraction the type has; kAllFractionBits for types that are not floating-point numbers.
int FractionBits(opsrun::DataType type);

}  // namespace cast

// One number as another type.
//
// A number passes through a wide type, which holds it exactly: int64, uint64, double, or a complex number of doubles.
// So 20 types need 20 conversions to a wide type and 4 times 20 from one, and not 20 times 20.

// Kernels for a GPU call these functions too.
#ifdef __CUDACC__
#define CAST_HOST_DEVICE __host__ __device__
#else
#define CAST_HOST_DEVICE
#endif

namespace cast {

template <typename T>
inline constexpr bool kIsComplex = std::is_same_v<T, opsrun::complex64> || std::is_same_v<T, opsrun::complex128>;

// The wide type of T.
template <typename T>
using Wide = std::conditional_t<
    kIsComplex<T>, std::complex<double>,
    std::conditional_t<!std::is_integral_v<T>, double, std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>>;

// Towards zero. What lies beyond the range becomes the nearest end of it, and NaN becomes 0.
template <typename Int>
CAST_HOST_DEVICE Int ToInteger(double number) {
  using Limits = std::numeric_limits<Int>;
  if (number != number) return 0;
  // As a double, the largest of 64 bits is one too many, which does not fit either.
  if (number >= static_cast<double>(Limits::max())) return Limits::max();
  if (number <= static_cast<double>(Limits::min())) return Limits::min();
  return static_cast<Int>(number);
}

// Bits of an integer beyond those of the type are cut off.
template <typename Int, typename Wider, typename = std::enable_if_t<std::is_integral_v<Wider>>>
CAST_HOST_DEVICE Int ToInteger(Wider number) {
  return static_cast<Int>(number);
}

// The float next to the number, the one with an odd last bit if there are two. On the way to 16 bits it rounds as the
// number itself would: it is no tie unless the number is one.
CAST_HOST_DEVICE inline float RoundedToOdd(double number) {
  const float nearest = static_cast<float>(number);
  if (double{nearest} == number || number != number) return nearest;
  uint32_t bits;
  std::memcpy(&bits, &nearest, sizeof bits);
  const bool away = std::fabs(double{nearest}) > std::fabs(number);
  bits = (away ? bits - 1 : bits) | 1;
  float odd;
  std::memcpy(&odd, &bits, sizeof odd);
  return odd;
}

// An integer as a double that rounds as the integer would: bits that a double lacks leave their trace in the last one.
template <typename Int>
CAST_HOST_DEVICE double StickyDouble(Int number) {
  constexpr int kTooMany = 11;
  constexpr uint64_t kCut = (uint64_t{1} << kTooMany) - 1;
  bool negative = false;
  if constexpr (std::is_signed_v<Int>) negative = number < 0;
  uint64_t magnitude = negative ? -static_cast<uint64_t>(number) : static_cast<uint64_t>(number);
  if (magnitude >> 53 != 0 && (magnitude & kCut) != 0) magnitude = (magnitude & ~kCut) | (kCut + 1);
  return negative ? -static_cast<double>(magnitude) : static_cast<double>(magnitude);
}
CAST_HOST_DEVICE inline double StickyDouble(double number) {
  return number;
}

// Of a complex number, types that are not complex get the real part.
template <typename To, typename From>
CAST_HOST_DEVICE To Convert(From number) {
  if constexpr (kIsComplex<To>) {
    using Part = typename To::value_type;
    if constexpr (kIsComplex<From>) {
      return To(static_cast<Part>(number.real()), static_cast<Part>(number.imag()));
    } else {
      return To(static_cast<Part>(number), 0);
    }
  } else if constexpr (kIsComplex<From>) {
    return Convert<To>(number.real());
  } else if constexpr (std::is_same_v<To, bool>) {
    return number != 0;
  } else if constexpr (std::is_integral_v<To>) {
    return ToInteger<To>(number);
  } else if constexpr (sizeof(To) == 2) {
    return To(RoundedToOdd(StickyDouble(number)));
  } else {
    return static_cast<To>(number);
  }
}

// Without its lowest bits, all but `keep` of the 52 after the leading one.
CAST_HOST_DEVICE inline double Truncated(double number, int keep) {
  if (number != number) return number;
  uint64_t bits;
  std::memcpy(&bits, &number, sizeof bits);
  bits &= ~uint64_t{0} << (52 - keep);
  std::memcpy(&number, &bits, sizeof bits);
  return number;
}

}  // namespace cast
