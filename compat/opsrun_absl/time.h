// opsrun_absl/time.h: absl::Duration and absl::Time, both in nanoseconds: a range of 292 years in each direction.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/time.h>
#include <time.h>

#include <thread>

#include "opsrun/internal/str_cat.h"
#include "opsrun_absl/duration.h"

OPSRUN_ABSL_BEGIN

// A point in time, relative to the beginning of 1970.
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
namespace internal {
// Rounded down.
constexpr int64_t UnitsSince1970(Time t, Duration unit) {
  const Duration since = t - UnixEpoch();
  return since / unit - (IsInfinite(Nanos::Of(since)) ? 0 : since < unit * (since / unit));
}
}  // namespace internal

#define OPSRUN_ABSL_UNIX(Name, Unit)             \
  constexpr Time FromUnix##Name(int64_t n) {     \
    return UnixEpoch() + Unit(n);                \
  }                                              \
  constexpr int64_t ToUnix##Name(Time t) {       \
    return internal::UnitsSince1970(t, Unit(1)); \
  }
OPSRUN_ABSL_UNIX(Nanos, Nanoseconds)
OPSRUN_ABSL_UNIX(Micros, Microseconds)
OPSRUN_ABSL_UNIX(Millis, Milliseconds)
OPSRUN_ABSL_UNIX(Seconds, Seconds)
#undef OPSRUN_ABSL_UNIX
constexpr Time FromTimeT(time_t t) {
  return FromUnixSeconds(t);
}
inline time_t ToTimeT(Time t) {
  return ToUnixSeconds(t);
}

inline Time Now() {
  return FromUnixNanos(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
          .count());
}

inline int64_t GetCurrentTimeNanos() {
  return ToUnixNanos(Now());
}
inline void SleepFor(Duration duration) {
  if (duration > ZeroDuration()) std::this_thread::sleep_for(ToChronoNanoseconds(duration));
}

// A fixed offset from UTC. Zones with names ("Europe/Madrid") require abseil itself.
class TimeZone {
 public:
  constexpr TimeZone() = default;

 private:
  friend TimeZone FixedTimeZone(int seconds_east);
  friend int SecondsEast(TimeZone zone) { return zone.seconds_east_; }

  int seconds_east_ = 0;
};
inline TimeZone UTCTimeZone() {
  return {};
}
inline TimeZone FixedTimeZone(int seconds_east) {
  TimeZone zone;
  zone.seconds_east_ = seconds_east;
  return zone;
}
// Supports only UTC: for other names, returns false and sets *zone to UTC.
inline bool LoadTimeZone(std::string_view name, TimeZone* zone) {
  *zone = TimeZone();
  return name == "UTC" || name == "UTC0";
}
inline constexpr char RFC3339_full[] = "%Y-%m-%d%ET%H:%M:%E*S%Ez";
inline constexpr char RFC3339_sec[] = "%Y-%m-%d%ET%H:%M:%S%Ez";

namespace internal {

// The digits after a decimal point, in nanoseconds. Moves *at past them.
inline int64_t Fraction(const char** at) {
  int64_t nanoseconds = 0, unit = 100000000;
  for (; **at >= '0' && **at <= '9'; ++*at, unit /= 10) nanoseconds += (**at - '0') * unit;
  return nanoseconds;
}

// "Z", "+01:30" or "-0130" in seconds. False: the text is neither.
inline bool Offset(const char** at, int64_t* seconds) {
  *seconds = 0;
  if (**at == 'Z' || **at == 'z') return ++*at, true;
  const int64_t sign = **at == '-' ? -1 : **at == '+' ? 1 : 0;
  if (sign == 0) return false;
  ++*at;
  int digits[4];
  for (int& digit : digits) {
    if (**at == ':') ++*at;
    if (**at < '0' || **at > '9') return false;
    digit = *(*at)++ - '0';
  }
  *seconds = sign * ((digits[0] * 10 + digits[1]) * 3600 + (digits[2] * 10 + digits[3]) * 60);
  return true;
}

struct Parsed {
  struct tm fields = {};
  int64_t nanoseconds = 0, offset = 0, unix_seconds = 0;
  bool has_offset = false, is_unix = false;
};

// Reads one conversion, whose letters begin at `format`. NULL: the text does not match. *used: the number of letters.
inline const char* ReadOne(const char* format, const char* at, size_t* used, Parsed* out) {
  *used = 1;
  if (strncmp(format, "Ez", 2) == 0 || strncmp(format, "E*z", 3) == 0 || *format == 'z') {
    *used = *format == 'z' ? 1 : format[1] == '*' ? 3 : 2;
    out->has_offset = true;
    return Offset(&at, &out->offset) ? at : nullptr;
  }
  if (strncmp(format, "ET", 2) == 0) return *used = 2, *at == 'T' || *at == 't' ? at + 1 : nullptr;
  if (*format == 's') {
    char* end = nullptr;
    out->unix_seconds = strtoll(at, &end, 10);
    out->is_unix = true;
    return end == at ? nullptr : end;
  }
  if (*format == 'E' && (format[1] == '*' || (format[1] >= '0' && format[1] <= '9')) && format[2] == 'S') {
    *used = 3;
    at = strptime(at, "%S", &out->fields);
    if (at == nullptr || *at != '.') return at;
    ++at;
    out->nanoseconds = Fraction(&at);
    return at;
  }
  const char one[] = {'%', *format, '\0'};
  return strptime(at, one, &out->fields);
}

}  // namespace internal

// Parses a time. *error is set on failure. The conversions are those of strptime, and %Ez, %E*z, %E*S, %E3S, %ET, %s.
inline bool ParseTime(std::string_view format, std::string_view text, TimeZone zone, Time* time, std::string* error) {
  const std::string f(format), t(text);
  const char* at = t.c_str();
  internal::Parsed parsed;
  parsed.fields.tm_mday = 1;
  parsed.fields.tm_year = 70;
  while (*at == ' ') ++at;
  for (const char* c = f.c_str(); *c != '\0' && at != nullptr;) {
    if (*c == '%' && c[1] != '%') {
      size_t used = 0;
      at = internal::ReadOne(c + 1, at, &used, &parsed);
      c += 1 + used;
    } else if (*c == ' ') {
      while (*at == ' ') ++at;
      ++c;
    } else {
      c += *c == '%';
      at = *at == *c ? at + 1 : nullptr;
      ++c;
    }
  }
  while (at != nullptr && *at == ' ') ++at;
  if (at == nullptr || *at != '\0') {
    if (error != nullptr) *error = at == nullptr ? "Failed to parse input" : "Illegal trailing data in input string";
    return false;
  }
  const int64_t seconds = parsed.is_unix ? parsed.unix_seconds : timegm(&parsed.fields);
  const int64_t offset = parsed.is_unix ? 0 : parsed.has_offset ? parsed.offset : SecondsEast(zone);
  *time = FromUnixSeconds(seconds - offset) + Nanoseconds(parsed.nanoseconds);
  return true;
}
inline bool ParseTime(std::string_view format, std::string_view text, Time* time, std::string* error) {
  return ParseTime(format, text, UTCTimeZone(), time, error);
}

// Formats a time. The conversions are those of strftime, and %Ez, %E*S, %ET.
inline std::string FormatTime(std::string_view format, Time time, TimeZone zone) {
  if (time == InfiniteFuture()) return "infinite-future";
  if (time == InfinitePast()) return "infinite-past";
  const int64_t nanoseconds = ((ToUnixNanos(time) % 1000000000) + 1000000000) % 1000000000;
  const time_t seconds = static_cast<time_t>(ToUnixSeconds(time) + SecondsEast(zone));
  struct tm fields = {};
  gmtime_r(&seconds, &fields);
  const int east = SecondsEast(zone), size = east < 0 ? -east : east;
  std::string f, fraction = ::OPSRUN_NAMESPACE::internal::Format(".%09lld", static_cast<long long>(nanoseconds));
  while (fraction.back() == '0') fraction.pop_back();
  if (fraction == ".") fraction.clear();
  for (size_t i = 0; i < format.size(); ++i) {
    const std::string_view rest = format.substr(i);
    if (rest.substr(0, 4) == "%E*S") {
      f += "%S" + fraction, i += 3;
    } else if (rest.substr(0, 3) == "%Ez") {
      f += ::OPSRUN_NAMESPACE::internal::Format("%c%02d:%02d", east < 0 ? '-' : '+', size / 3600, size / 60 % 60),
          i += 2;
    } else if (rest.substr(0, 3) == "%ET") {
      f += 'T', i += 2;
    } else {
      f += format[i];
      if (format[i] == '%' && i + 1 < format.size()) f += format[++i];
    }
  }
  std::string out(f.size() * 4 + 256, '\0');
  out.resize(strftime(out.data(), out.size(), f.c_str(), &fields));
  return out;
}
template <typename Stream>
auto operator<<(Stream& stream, Duration duration) -> decltype(stream << FormatDuration(duration)) {
  return stream << FormatDuration(duration);
}
template <typename Stream>
auto operator<<(Stream& stream, Time time) -> decltype(stream << FormatDuration(Duration())) {
  return stream << FormatTime(RFC3339_full, time, UTCTimeZone());
}
inline std::string FormatTime(Time time) {
  return FormatTime(RFC3339_full, time, UTCTimeZone());
}
inline std::string FormatTime(Time time, TimeZone zone) {
  return FormatTime(RFC3339_full, time, zone);
}

OPSRUN_ABSL_END
