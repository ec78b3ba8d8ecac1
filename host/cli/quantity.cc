// host/cli/quantity.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/quantity.h"

#include <charconv>
#include <span>
#include <utility>

namespace opsrun::host {
namespace {

using Unit = std::pair<std::string_view, double>;

// The whole number of the smallest unit; without a unit, the first of `units` is meant.
std::optional<uint64_t> Parse(std::string_view text, std::span<const Unit> units) {
  double number = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, number);
  if (error != std::errc()) return std::nullopt;
  const std::string_view name = end == last ? units.front().first : std::string_view(end, last);
  for (const auto& [unit, factor] : units) {
    const double scaled = number * factor;
    if (name == unit && scaled >= 1 && scaled <= 1e18) return static_cast<uint64_t>(scaled);
  }
  return std::nullopt;
}

}  // namespace

std::optional<uint64_t> ParseBytes(std::string_view text) {
  static constexpr Unit kUnits[] = {{"B", 1},      {"K", 0x1p10},   {"KiB", 0x1p10}, {"M", 0x1p20},  {"MiB", 0x1p20},
                                    {"G", 0x1p30}, {"GiB", 0x1p30}, {"T", 0x1p40},   {"TiB", 0x1p40}};
  return Parse(text, kUnits);
}

std::optional<uint64_t> ParseMilliseconds(std::string_view text) {
  static constexpr Unit kUnits[] = {{"s", 1e3}, {"ms", 1}, {"m", 60e3}, {"h", 3600e3}};
  return Parse(text, kUnits);
}

}  // namespace opsrun::host
