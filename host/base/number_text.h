// host/base/number_text.h: numbers as text: decimal, read the same whatever the locale, and with units, for people.
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

// Below 0, 0 or above 0: how the magnitude of the text compares with that of the number, exactly. Takes microseconds.
// Requires: IsDecimalText(text); a finite number.
int CompareMagnitudes(std::string_view text, double number);

// Numbers for people: three digits and a unit.

std::string DurationText(double ns);     // "0.50 ns", "1.23 us", "45.6 ms", "123 s"
std::string CountText(double count);     // "17", "1.23 k", "45.6 M"
std::string BytesText(double bytes);     // "17 B", "1.50 KiB", "2.00 GiB"
std::string BandwidthText(double rate);  // of bytes a second: "3.21 GB/s"
std::string ShareText(double share);     // "12.3 %"

// "1 run", "2 runs".
std::string Several(size_t count, const std::string& what);

}  // namespace opsrun::host
