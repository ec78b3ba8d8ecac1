// host/base/number_text.h: decimal text, parsed independently of the locale, and numbers with units for people.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace opsrun::host {

// The integer whose digits are the whole text, behind a '-' if T is signed. Nothing if it does not fit.
template <typename T>
std::optional<T> ParseInteger(std::string_view text, int base = 10) {
  T number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

// Removes a sign from the front; true if it was a minus.
bool TakeSign(std::string_view& text);

// [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?
bool IsDecimalText(std::string_view text);

// The double nearest to the text, ties to even; infinite if that is too large. Requires: IsDecimalText(text).
double NearestDouble(std::string_view text);

// Compares the magnitudes of the text and the number exactly: below 0, 0, or above 0 if that of the text is smaller,
// equal or larger. Takes microseconds. Requires: IsDecimalText(text); a finite number.
int CompareMagnitudes(std::string_view text, double number);

// Numbers for people: three digits and a unit.

std::string DurationText(double ns);     // "0.50 ns", "1.23 us", "45.6 ms", "123 s"
std::string CountText(double count);     // "17", "1.23 k", "45.6 M"
std::string BytesText(double bytes);     // "17 B", "1.50 KiB", "2.00 GiB"
std::string BandwidthText(double rate);  // bytes per second: "3.21 GB/s"
std::string ShareText(double share);     // "12.3 %"

// "1 run", "2 runs".
std::string Several(size_t count, const std::string& what);

}  // namespace opsrun::host
