// host/base/units.h: numbers for people: three digits and a unit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace opsrun::host {

std::string DurationText(double ns);     // "0.50 ns", "1.23 us", "45.6 ms", "123 s"
std::string CountText(double count);     // "17", "1.23 k", "45.6 M"
std::string BytesText(double bytes);     // "17 B", "1.50 KiB", "2.00 GiB"
std::string BandwidthText(double rate);  // of bytes a second: "3.21 GB/s"
std::string ShareText(double share);     // "12.3 %"

// "1 run", "2 runs".
std::string Several(size_t count, const std::string& what);

}  // namespace opsrun::host
