// host/base/units.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/base/units.h"

#include <fmt/format.h>

#include <span>
#include <string_view>

namespace opsrun::host {
namespace {

struct Unit {
  std::string_view name;
  double size;
};

// 999.5 would be written with four digits.
std::string ThreeDigits(double value) {
  return fmt::format("{:.{}f}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

// `units` from small to large; the first that gives less than `step` is taken, or the last.
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
