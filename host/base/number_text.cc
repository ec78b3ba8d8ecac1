// SPDX-License-Identifier: Apache-2.0
#include "host/base/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "host/base/characters.h"

namespace opsrun::host {

bool TakeSign(std::string_view& text) {
  if (text.empty() || (text[0] != '-' && text[0] != '+')) return false;
  const bool minus = text[0] == '-';
  text.remove_prefix(1);
  return minus;
}

namespace {

std::string_view TakeDigits(std::string_view& text) {
  const auto end = std::find_if_not(text.begin(), text.end(), IsDigit);
  const std::string_view digits = text.substr(0, static_cast<size_t>(end - text.begin()));
  text.remove_prefix(digits.size());
  return digits;
}

// 0.digits * 10^power, without leading or trailing zeros; no digits for 0.
struct Digits {
  std::string digits;
  int64_t power = 0;
};

// Requires: digits with an optional sign. Clamps to 2^60, which is beyond any exponent that matters.
int64_t ExponentOf(std::string_view text) {
  constexpr int64_t kHuge = int64_t{1} << 60;
  const bool minus = TakeSign(text);
  int64_t exponent = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), exponent);
  if (read.ec != std::errc() || exponent > kHuge) exponent = kHuge;
  return minus ? -exponent : exponent;
}

Digits DigitsOf(std::string_view text) {
  TakeSign(text);
  Digits number;
  number.digits = TakeDigits(text);
  number.power = static_cast<int64_t>(number.digits.size());
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    number.digits += TakeDigits(text);
  }
  if (!text.empty()) number.power += ExponentOf(text.substr(1));
  const size_t first = std::min(number.digits.find_first_not_of('0'), number.digits.size());
  number.digits.erase(0, first);
  number.digits.resize(number.digits.find_last_not_of('0') + 1);
  number.power = number.digits.empty() ? 0 : number.power - static_cast<int64_t>(first);
  return number;
}

// from_chars does not distinguish overflow from underflow.
double Extreme(std::string_view text) {
  const double magnitude = DigitsOf(text).power > 0 ? std::numeric_limits<double>::infinity() : 0.0;
  return text[0] == '-' ? -magnitude : magnitude;
}

}  // namespace

bool IsDecimalText(std::string_view text) {
  TakeSign(text);
  size_t digits = TakeDigits(text).size();
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    digits += TakeDigits(text).size();
  }
  if (digits == 0 || text.empty()) return digits > 0;
  if (text[0] != 'e' && text[0] != 'E') return false;
  text.remove_prefix(1);
  TakeSign(text);
  return !TakeDigits(text).empty() && text.empty();
}

double NearestDouble(std::string_view text) {
  if (text[0] == '+') text.remove_prefix(1);
  double number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() ? number : Extreme(text);
}

int CompareMagnitudes(std::string_view text, double number) {
  constexpr int kMostDigits = 767;  // digits of a double, written out exactly
  std::array<char, kMostDigits + 16> room;
  const auto written = std::to_chars(room.data(), room.data() + room.size(), std::abs(number),
                                     std::chars_format::scientific, kMostDigits - 1);
  const Digits one = DigitsOf(text);
  const Digits other = DigitsOf({room.data(), static_cast<size_t>(written.ptr - room.data())});
  if (one.digits.empty() || other.digits.empty()) return (other.digits.empty() ? 1 : 0) - (one.digits.empty() ? 1 : 0);
  if (one.power != other.power) return one.power < other.power ? -1 : 1;
  return one.digits.compare(other.digits);
}

namespace {

struct Unit {
  std::string_view name;
  double size;
};

// 3 digits after rounding: 9.995 becomes "10.0".
std::string ThreeDigits(double value) {
  return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

// Takes the first of `units`, from small to large, that gives less than `step`, or else the last.
std::string Scaled(double value, double step, std::span<const Unit> units) {
  for (const Unit& unit : units) {
    const double scaled = value / unit.size;
    if (scaled < step - 0.5 || &unit == &units.back()) return fmt::format("{} {}", ThreeDigits(scaled), unit.name);
  }
  return {};
}

}  // namespace

std::string DurationText(double ns) {
  static constexpr Unit kUnits[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  return Scaled(ns, 1000, kUnits);
}

std::string CountText(double count) {
  static constexpr Unit kUnits[] = {{"k", 1e3}, {"M", 1e6}, {"G", 1e9}};
  return count < 1000 ? fmt::format("{:g}", count < 10 ? count : static_cast<double>(static_cast<int>(count + 0.5)))
                      : Scaled(count, 1000, kUnits);
}

std::string BytesText(double bytes) {
  static constexpr Unit kUnits[] = {{"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};
  return bytes < 1024 ? fmt::format("{:.0f} B", bytes) : Scaled(bytes, 1024, kUnits);
}

std::string BandwidthText(double rate) {
  static constexpr Unit kUnits[] = {{"B/s", 1}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}};
  return Scaled(rate, 1000, kUnits);
}

std::string ShareText(double share) {
  return fmt::format("{:.1f} %", share * 100);
}

std::string Several(size_t count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace opsrun::host
