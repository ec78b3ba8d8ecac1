// absl/time/time.h: absl::Duration and absl::Time, both counted in nanoseconds: 292 years in each direction.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>
#include <sys/time.h>
#include <time.h>

#include <chrono>

#include "absl/base/config.h"
#include "absl/time/duration.h"

OPSRUN_ABSL_BEGIN

// A point in time, counted from the beginning of 1970.
class Time {
 public:
  constexpr Time() = default;
  constexpr Time& operator+=(Duration d) { return since_ += d, *this; }
  constexpr Time& operator-=(Duration d) { return since_ -= d, *this; }

  friend constexpr Time operator+(Time t, Duration d) { return t += d; }
  friend constexpr Time operator+(Duration d, Time t) { return t += d; }
  friend constexpr Time operator-(Time t, Duration d) { return t -= d; }
  friend constexpr Duration operator-(Time a, Time b) { return a.since_ - b.since_; }
  friend constexpr bool operator==(Time a, Time b) { return a.since_ == b.since_; }
  friend constexpr bool operator!=(Time a, Time b) { return a.since_ != b.since_; }
  friend constexpr bool operator<(Time a, Time b) { return a.since_ < b.since_; }
  friend constexpr bool operator>(Time a, Time b) { return a.since_ > b.since_; }
  friend constexpr bool operator<=(Time a, Time b) { return a.since_ <= b.since_; }
  friend constexpr bool operator>=(Time a, Time b) { return a.since_ >= b.since_; }

 private:
  Duration since_;
};

constexpr Time UnixEpoch() {
  return {};
}
constexpr Time InfiniteFuture() {
  return UnixEpoch() + InfiniteDuration();
}
constexpr Time InfinitePast() {
  return UnixEpoch() - InfiniteDuration();
}
constexpr Time FromUnixNanos(int64_t n) {
  return UnixEpoch() + Nanoseconds(n);
}
constexpr Time FromUnixMicros(int64_t n) {
  return UnixEpoch() + Microseconds(n);
}
constexpr Time FromUnixMillis(int64_t n) {
  return UnixEpoch() + Milliseconds(n);
}
constexpr Time FromUnixSeconds(int64_t n) {
  return UnixEpoch() + Seconds(n);
}
constexpr Time FromTimeT(time_t t) {
  return FromUnixSeconds(t);
}
namespace internal {
// Rounded towards the past.
constexpr int64_t UnitsSince1970(Time t, Duration unit) {
  const Duration since = t - UnixEpoch();
  return since / unit - (IsInfinite(Nanos::Of(since)) ? 0 : since < unit * (since / unit));
}
}  // namespace internal
inline int64_t ToUnixNanos(Time t) {
  return internal::UnitsSince1970(t, Nanoseconds(1));
}
inline int64_t ToUnixMicros(Time t) {
  return internal::UnitsSince1970(t, Microseconds(1));
}
inline int64_t ToUnixMillis(Time t) {
  return internal::UnitsSince1970(t, Milliseconds(1));
}
inline int64_t ToUnixSeconds(Time t) {
  return internal::UnitsSince1970(t, Seconds(1));
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
