// opsrun/float8.h: the 8-bit floating-point types: float8_e5m2, float8_e4m3fn, float8_e4m3fnuz, float8_e4m3b11fnuz and
// float8_e5m2fnuz.
//
// They are constructed from any number, rounding once, to nearest, ties to even. Numbers that are too large become
// infinity in float8_e5m2, which follows IEEE 754, and NaN in the others, which have no infinity; the fnuz formats have
// no negative zero either. Conversion from them is explicit. Arithmetic is float arithmetic, rounded to the format.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>
#include <string.h>

#include <limits>
#include <type_traits>

#include "opsrun/float16.h"
#include "opsrun/namespace.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

// kLargest is the code of the largest number, kOverflow the code of larger numbers. kOneZero: 0x80 is NaN instead of
// -0.
struct E5M2 {
  static constexpr int kFractionBits = 2, kBias = 15;
  static constexpr uint8_t kLargest = 0x7b, kOverflow = 0x7c, kNan = 0x7e;
  static constexpr bool kOneZero = false, kHasInfinity = true;
};
struct E4M3FN {
  static constexpr int kFractionBits = 3, kBias = 7;
  static constexpr uint8_t kLargest = 0x7e, kOverflow = 0x7f, kNan = 0x7f;
  static constexpr bool kOneZero = false, kHasInfinity = false;
};
template <int kFraction, int kExponentBias>
struct Fnuz {
  static constexpr int kFractionBits = kFraction, kBias = kExponentBias;
  static constexpr uint8_t kLargest = 0x7f, kOverflow = 0x80, kNan = 0x80;
  static constexpr bool kOneZero = true, kHasInfinity = false;
};

template <typename Format>
class Float8 {
 public:
  Float8() = default;
  template <typename T, typename = std::enable_if_t<std::is_convertible_v<T, float>>>
  Float8(T number) : bits_(Encode(static_cast<double>(number))) {}
  template <typename Other>
  explicit Float8(Float8<Other> number) : Float8(static_cast<float>(number)) {}

  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  explicit operator T() const {
    return static_cast<T>(Decode(bits_));
  }
  template <typename Half>
  explicit operator Float16<Half>() const {
    return Decode(bits_);
  }

  static constexpr Float8 FromRep(uint8_t bits) { return Float8(bits, Bits()); }
  constexpr uint8_t rep() const { return bits_; }

  friend Float8 operator+(Float8 a, Float8 b) { return float(a) + float(b); }
  friend Float8 operator-(Float8 a, Float8 b) { return float(a) - float(b); }
  friend Float8 operator*(Float8 a, Float8 b) { return float(a) * float(b); }
  friend Float8 operator/(Float8 a, Float8 b) { return float(a) / float(b); }
  friend Float8 operator-(Float8 a) { return -float(a); }
  Float8& operator+=(Float8 b) { return *this = *this + b; }
  Float8& operator-=(Float8 b) { return *this = *this - b; }
  Float8& operator*=(Float8 b) { return *this = *this * b; }
  Float8& operator/=(Float8 b) { return *this = *this / b; }

  friend bool operator==(Float8 a, Float8 b) { return float(a) == float(b); }
  friend bool operator!=(Float8 a, Float8 b) { return float(a) != float(b); }
  friend bool operator<(Float8 a, Float8 b) { return float(a) < float(b); }
  friend bool operator>(Float8 a, Float8 b) { return float(a) > float(b); }
  friend bool operator<=(Float8 a, Float8 b) { return float(a) <= float(b); }
  friend bool operator>=(Float8 a, Float8 b) { return float(a) >= float(b); }

  friend bool isnan(Float8 a) { return a != a; }
  friend bool isinf(Float8 a) { return Format::kHasInfinity && (a.bits_ & 0x7f) == Format::kOverflow; }
  friend bool isfinite(Float8 a) { return !isnan(a) && !isinf(a); }
  friend Float8 abs(Float8 a) { return a.bits_ == Format::kNan ? a : FromRep(a.bits_ & 0x7f); }

 private:
  struct Bits {};
  constexpr Float8(uint8_t bits, Bits) : bits_(bits) {}

  // Codes are in the order of their numbers, so rounding may carry from the fraction into the exponent, and from
  // subnormal to normal numbers.
  static uint8_t Encode(double number) {
    constexpr int kDoubleBits = 52;
    constexpr uint64_t kOne = uint64_t{1} << kDoubleBits;
    uint64_t bits;
    memcpy(&bits, &number, sizeof(bits));
    const uint8_t sign = static_cast<uint8_t>(bits >> 56 & 0x80u);
    if (number != number) return Format::kNan | sign;
    const int above =
        static_cast<int>(bits >> kDoubleBits & 0x7ffu) - 1023 - (1 - Format::kBias);  // 0: smallest normal
    const int drop = kDoubleBits - Format::kFractionBits + (above < 0 ? -above : 0);
    if (drop > kDoubleBits + 1) return Format::kOneZero ? 0 : sign;  // less than half of the smallest number
    const uint64_t fraction = (bits & (kOne - 1)) | kOne;
    const uint64_t rounded = (fraction + (uint64_t{1} << (drop - 1)) - 1 + (fraction >> drop & 1)) >> drop;
    const uint64_t code = (static_cast<uint64_t>(above > 0 ? above : 0) << Format::kFractionBits) + rounded;
    if (code > Format::kLargest) return Format::kOverflow | sign;
    return static_cast<uint8_t>(code) | (Format::kOneZero && code == 0 ? 0 : sign);
  }

  static float Decode(uint8_t bits) {
    const uint32_t code = bits & 0x7fu, sign = static_cast<uint32_t>(bits & 0x80u) << 24;
    if (Format::kOneZero ? bits == Format::kNan : code > Format::kLargest) {
      return FloatOfBits(sign | (Format::kHasInfinity && code == Format::kOverflow ? 0x7f800000u : 0x7fc00000u));
    }
    constexpr uint32_t kOffset = 127 - Format::kBias;
    if (code >> Format::kFractionBits == 0) {
      const float smallest = FloatOfBits((kOffset + 1 - Format::kFractionBits) << 23);
      return FloatOfBits(sign | FloatBits(static_cast<float>(code) * smallest));
    }
    return FloatOfBits(sign | ((code << (23 - Format::kFractionBits)) + (kOffset << 23)));
  }

  uint8_t bits_;
};

}  // namespace internal

typedef internal::Float8<internal::E5M2> float8_e5m2;
typedef internal::Float8<internal::E4M3FN> float8_e4m3fn;
typedef internal::Float8<internal::Fnuz<3, 8>> float8_e4m3fnuz;
typedef internal::Float8<internal::Fnuz<3, 11>> float8_e4m3b11fnuz;
typedef internal::Float8<internal::Fnuz<2, 16>> float8_e5m2fnuz;

}  // namespace OPSRUN_HIDDEN

template <typename Format>
class std::numeric_limits<OPSRUN_NAMESPACE::internal::Float8<Format>> {
  typedef OPSRUN_NAMESPACE::internal::Float8<Format> T;

 public:
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false, is_exact = false;
  static constexpr bool has_infinity = Format::kHasInfinity, has_quiet_NaN = true, has_signaling_NaN = false;
  static constexpr bool is_bounded = true, is_modulo = false, is_iec559 = false;
  static constexpr int radix = 2, digits = Format::kFractionBits + 1, digits10 = 0;
  static constexpr T min() { return T::FromRep(1 << Format::kFractionBits); }
  static constexpr T max() { return T::FromRep(Format::kLargest); }
  static constexpr T lowest() { return T::FromRep(Format::kLargest | 0x80); }
  static constexpr T epsilon() { return T::FromRep((Format::kBias - Format::kFractionBits) << Format::kFractionBits); }
  static constexpr T denorm_min() { return T::FromRep(1); }
  // The largest number if the format does not have an infinity.
  static constexpr T infinity() { return T::FromRep(Format::kHasInfinity ? Format::kOverflow : Format::kLargest); }
  static constexpr T quiet_NaN() { return T::FromRep(Format::kNan); }
};
