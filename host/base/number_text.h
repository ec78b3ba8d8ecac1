// host/base/number_text.h: decimal text, parsed independently of the locale, and numbers with units for people.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace opsrun::host {

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
