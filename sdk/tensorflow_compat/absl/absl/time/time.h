// absl/time/time.h: absl::Duration and absl::Time, both counted in nanoseconds: 292 years in each direction.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>
#include <sys/time.h>
#include <time.h>

#include <chrono>
#include <limits>
#include <string>

#include "absl/base/config.h"
#include "opsrun/internal/str_cat.h"

OPSRUN_ABSL_BEGIN

class Duration {
 public:
  constexpr Duration() = default;
  static constexpr Duration OfNanoseconds(int64_t n) { return Duration(n); }
  constexpr int64_t nanoseconds() const { return n_; }

  constexpr Duration operator-() const { return Duration(-n_); }
  Duration& operator+=(Duration d) { return n_ += d.n_, *this; }
  Duration& operator-=(Duration d) { return n_ -= d.n_, *this; }
  template <typename Number>
  Duration& operator*=(Number x) {
    return n_ = static_cast<int64_t>(static_cast<long double>(n_) * x), *this;
  }
  template <typename Number>
  Duration& operator/=(Number x) {
    return n_ = static_cast<int64_t>(static_cast<long double>(n_) / x), *this;
  }
  Duration& operator%=(Duration d) { return n_ %= d.n_, *this; }

  friend Duration operator+(Duration a, Duration b) { return a += b; }
  friend Duration operator-(Duration a, Duration b) { return a -= b; }
  friend Duration operator%(Duration a, Duration b) { return a %= b; }
  template <typename Number>
  friend Duration operator*(Duration d, Number x) {
    return d *= x;
  }
  template <typename Number>
  friend Duration operator*(Number x, Duration d) {
    return d *= x;
  }
  template <typename Number, typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
  friend Duration operator/(Duration d, Number x) {
    return d /= x;
  }
  friend int64_t operator/(Duration a, Duration b) { return a.n_ / b.n_; }
  friend constexpr bool operator==(Duration a, Duration b) { return a.n_ == b.n_; }
  friend constexpr bool operator!=(Duration a, Duration b) { return a.n_ != b.n_; }
  friend constexpr bool operator<(Duration a, Duration b) { return a.n_ < b.n_; }
  friend constexpr bool operator>(Duration a, Duration b) { return a.n_ > b.n_; }
  friend constexpr bool operator<=(Duration a, Duration b) { return a.n_ <= b.n_; }
  friend constexpr bool operator>=(Duration a, Duration b) { return a.n_ >= b.n_; }

 private:
  explicit constexpr Duration(int64_t n) : n_(n) {}
  int64_t n_ = 0;
};

#define OPSRUN_ABSL_UNIT(Unit, nanoseconds_in_it)                                                           \
  template <typename Number>                                                                                \
  constexpr Duration Unit(Number x) {                                                                       \
    return Duration::OfNanoseconds(static_cast<int64_t>(x * static_cast<Number>(1) * (nanoseconds_in_it))); \
  }                                                                                                         \
  constexpr int64_t ToInt64##Unit(Duration d) {                                                             \
    return d.nanoseconds() / (nanoseconds_in_it);                                                           \
  }                                                                                                         \
  constexpr double ToDouble##Unit(Duration d) {                                                             \
    return static_cast<double>(d.nanoseconds()) / (nanoseconds_in_it);                                      \
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
  return Duration::OfNanoseconds(std::numeric_limits<int64_t>::max());
}
constexpr Duration AbsDuration(Duration d) {
  return d < Duration() ? -d : d;
}
inline std::chrono::nanoseconds ToChronoNanoseconds(Duration d) {
  return std::chrono::nanoseconds(d.nanoseconds());
}
template <typename Rep, typename Period>
Duration FromChrono(std::chrono::duration<Rep, Period> d) {
  return Nanoseconds(std::chrono::duration_cast<std::chrono::nanoseconds>(d).count());
}
// "1.5s", "250ms", "0".
inline std::string FormatDuration(Duration d) {
  const double n = static_cast<double>(d.nanoseconds()), size = n < 0 ? -n : n;
  const auto in = [n](double unit, const char* name) { return ::OPSRUN_NAMESPACE::internal::StrCat(n / unit, name); };
  if (n == 0) return "0";
  return size < 1e3 ? in(1, "ns") : size < 1e6 ? in(1e3, "us") : size < 1e9 ? in(1e6, "ms") : in(1e9, "s");
}

// A point in time, counted from the beginning of 1970.
class Time {
 public:
  constexpr Time() = default;
  static constexpr Time Since1970(Duration d) { return Time(d); }
  constexpr Duration since_1970() const { return since_; }
  Time& operator+=(Duration d) { return since_ += d, *this; }
  Time& operator-=(Duration d) { return since_ -= d, *this; }

  friend Time operator+(Time t, Duration d) { return t += d; }
  friend Time operator+(Duration d, Time t) { return t += d; }
  friend Time operator-(Time t, Duration d) { return t -= d; }
  friend Duration operator-(Time a, Time b) { return a.since_ - b.since_; }
  friend constexpr bool operator==(Time a, Time b) { return a.since_ == b.since_; }
  friend constexpr bool operator!=(Time a, Time b) { return a.since_ != b.since_; }
  friend constexpr bool operator<(Time a, Time b) { return a.since_ < b.since_; }
  friend constexpr bool operator>(Time a, Time b) { return a.since_ > b.since_; }
  friend constexpr bool operator<=(Time a, Time b) { return a.since_ <= b.since_; }
  friend constexpr bool operator>=(Time a, Time b) { return a.since_ >= b.since_; }

 private:
  explicit constexpr Time(Duration d) : since_(d) {}
  Duration since_;
};

constexpr Time UnixEpoch() {
  return {};
}
constexpr Time InfiniteFuture() {
  return Time::Since1970(InfiniteDuration());
}
constexpr Time InfinitePast() {
  return Time::Since1970(-InfiniteDuration());
}
constexpr Time FromUnixNanos(int64_t n) {
  return Time::Since1970(Nanoseconds(n));
}
constexpr Time FromUnixMicros(int64_t n) {
  return Time::Since1970(Microseconds(n));
}
constexpr Time FromUnixMillis(int64_t n) {
  return Time::Since1970(Milliseconds(n));
}
constexpr Time FromUnixSeconds(int64_t n) {
  return Time::Since1970(Seconds(n));
}
constexpr Time FromTimeT(time_t t) {
  return FromUnixSeconds(t);
}
// Rounded towards the past, as abseil does.
inline int64_t FloorOfNanoseconds(Time t, int64_t unit) {
  const int64_t n = t.since_1970().nanoseconds();
  return n / unit - (n % unit < 0);
}
inline int64_t ToUnixNanos(Time t) {
  return FloorOfNanoseconds(t, 1);
}
inline int64_t ToUnixMicros(Time t) {
  return FloorOfNanoseconds(t, 1000);
}
inline int64_t ToUnixMillis(Time t) {
  return FloorOfNanoseconds(t, 1000000);
}
inline int64_t ToUnixSeconds(Time t) {
  return FloorOfNanoseconds(t, 1000000000);
}
inline time_t ToTimeT(Time t) {
  return ToUnixSeconds(t);
}

inline Time Now() {
  return FromUnixNanos(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count());
}

OPSRUN_ABSL_END

#include "absl/time/format_time.h"
