// opsrun_absl/duration.h: absl::Duration, counted in nanoseconds: 292 years in each direction. Part of time.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun_absl/base.h"

OPSRUN_ABSL_BEGIN

namespace internal {

// Durations beyond the range become infinite, which is the largest int64 or its negation.
inline constexpr int64_t kInfinite = std::numeric_limits<int64_t>::max();
constexpr bool IsInfinite(int64_t n) {
  return n == kInfinite || n == -kInfinite;
}
constexpr int64_t Clamped(long double n) {
  if (!(n < static_cast<long double>(kInfinite))) return kInfinite;
  return n <= -static_cast<long double>(kInfinite) ? -kInfinite : static_cast<int64_t>(n);
}
constexpr int64_t Sum(int64_t a, int64_t b) {
  if (IsInfinite(a) || IsInfinite(b)) return IsInfinite(a) ? a : b;
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum) || sum < -kInfinite) return a < 0 ? -kInfinite : kInfinite;
  return sum;
}
template <typename Number>
constexpr int64_t Product(int64_t n, Number x) {
  int64_t product = 0;
  if constexpr (std::is_floating_point_v<Number>) {
    product = Clamped(static_cast<long double>(n) * static_cast<long double>(x));
  } else if (IsInfinite(n) || __builtin_mul_overflow(n, x, &product) || product < -kInfinite) {
    product = (n < 0) == (x < 0) ? kInfinite : -kInfinite;
  }
  return product;
}

struct Nanos;

}  // namespace internal

// Arithmetic with an infinite duration, or beyond the range, gives an infinite duration.
class Duration {
 public:
  constexpr Duration() = default;

  constexpr Duration operator-() const { return Duration(-n_); }
  constexpr Duration& operator+=(Duration d) { return n_ = internal::Sum(n_, d.n_), *this; }
  constexpr Duration& operator-=(Duration d) { return n_ = internal::Sum(n_, -d.n_), *this; }
  template <typename Number>
  constexpr Duration& operator*=(Number x) {
    return n_ = internal::Product(n_, x), *this;
  }
  template <typename Number>
  constexpr Duration& operator/=(Number x) {
    const bool is_infinite = internal::IsInfinite(n_) || x == 0;
    if (is_infinite) return n_ = (n_ < 0) == (x < 0) ? internal::kInfinite : -internal::kInfinite, *this;
    return n_ = internal::Clamped(static_cast<long double>(n_) / static_cast<long double>(x)), *this;
  }
  Duration& operator%=(Duration d) { return *this -= d * (*this / d); }

  friend constexpr Duration operator+(Duration a, Duration b) { return a += b; }
  friend constexpr Duration operator-(Duration a, Duration b) { return a -= b; }
  friend Duration operator%(Duration a, Duration b) { return a %= b; }
  template <typename Number>
  friend constexpr Duration operator*(Duration d, Number x) {
    return d *= x;
  }
  template <typename Number>
  friend constexpr Duration operator*(Number x, Duration d) {
    return d *= x;
  }
  template <typename Number, typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
  friend constexpr Duration operator/(Duration d, Number x) {
    return d /= x;
  }
  // The quotient, rounded towards 0.
  friend constexpr int64_t operator/(Duration a, Duration b) {
    if (internal::IsInfinite(a.n_) || b.n_ == 0) {
      return (a.n_ < 0) == (b.n_ < 0) ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
    }
    return internal::IsInfinite(b.n_) ? 0 : a.n_ / b.n_;
  }
  friend constexpr bool operator==(Duration a, Duration b) { return a.n_ == b.n_; }
  friend constexpr bool operator!=(Duration a, Duration b) { return a.n_ != b.n_; }
  friend constexpr bool operator<(Duration a, Duration b) { return a.n_ < b.n_; }
  friend constexpr bool operator>(Duration a, Duration b) { return a.n_ > b.n_; }
  friend constexpr bool operator<=(Duration a, Duration b) { return a.n_ <= b.n_; }
  friend constexpr bool operator>=(Duration a, Duration b) { return a.n_ >= b.n_; }

 private:
  friend struct internal::Nanos;

  explicit constexpr Duration(int64_t n) : n_(n) {}
  int64_t n_ = 0;
};

namespace internal {

// Access to the nanoseconds of a duration, for this folder only.
struct Nanos {
  static constexpr Duration Make(int64_t n) { return Duration(n); }
  static constexpr int64_t Of(Duration d) { return d.n_; }
};
constexpr double Ratio(Duration d, int64_t unit) {
  const int64_t n = Nanos::Of(d);
  if (IsInfinite(n)) return n < 0 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  return static_cast<double>(n) / static_cast<double>(unit);
}
// A decimal number and its unit: "1.5ms".
inline std::string InUnits(int64_t n, int64_t unit, const char* name) {
  std::string text = std::to_string(n / unit), rest = std::to_string(n % unit + unit).substr(1);
  while (!rest.empty() && rest.back() == '0') rest.pop_back();
  return text + (rest.empty() ? "" : "." + rest) + name;
}

}  // namespace internal

#define OPSRUN_ABSL_UNIT(Unit, nanoseconds_in_it)                          \
  template <typename Number>                                               \
  constexpr Duration Unit(Number x) {                                      \
    return internal::Nanos::Make(internal::Product(nanoseconds_in_it, x)); \
  }                                                                        \
  constexpr int64_t ToInt64##Unit(Duration d) {                            \
    return d / internal::Nanos::Make(nanoseconds_in_it);                   \
  }                                                                        \
  constexpr double ToDouble##Unit(Duration d) {                            \
    return internal::Ratio(d, nanoseconds_in_it);                          \
  }
OPSRUN_ABSL_UNIT(Nanoseconds, int64_t{1})
OPSRUN_ABSL_UNIT(Microseconds, int64_t{1000})
OPSRUN_ABSL_UNIT(Milliseconds, int64_t{1000000})
OPSRUN_ABSL_UNIT(Seconds, int64_t{1000000000})
OPSRUN_ABSL_UNIT(Minutes, int64_t{60000000000})
OPSRUN_ABSL_UNIT(Hours, int64_t{3600000000000})
#undef OPSRUN_ABSL_UNIT
constexpr Duration ZeroDuration() {
  return {};
}
constexpr Duration InfiniteDuration() {
  return internal::Nanos::Make(internal::kInfinite);
}
constexpr Duration AbsDuration(Duration d) {
  return d < Duration() ? -d : d;
}
inline std::chrono::nanoseconds ToChronoNanoseconds(Duration d) {
  return std::chrono::nanoseconds(ToInt64Nanoseconds(d));
}
template <typename Rep, typename Period>
Duration FromChrono(std::chrono::duration<Rep, Period> d) {
  return Nanoseconds(std::chrono::duration_cast<std::chrono::nanoseconds>(d).count());
}
// "1h2m3.5s", "250ms", "-1.5us", "0", "inf".
inline std::string FormatDuration(Duration d) {
  const int64_t signed_n = internal::Nanos::Of(d), n = signed_n < 0 ? -signed_n : signed_n;
  const std::string sign = signed_n < 0 ? "-" : "";
  if (internal::IsInfinite(n)) return sign + "inf";
  if (n == 0) return "0";
  if (n < 1000) return sign + internal::InUnits(n, 1, "ns");
  if (n < 1000000) return sign + internal::InUnits(n, 1000, "us");
  if (n < 1000000000) return sign + internal::InUnits(n, 1000000, "ms");
  const int64_t minute = 60000000000, hour = 60 * minute;
  const std::string hours = n < hour ? "" : std::to_string(n / hour) + "h";
  const std::string minutes = n % hour < minute ? "" : std::to_string(n % hour / minute) + "m";
  return sign + hours + minutes + (n % minute == 0 ? "" : internal::InUnits(n % minute, 1000000000, "s"));
}

OPSRUN_ABSL_END
