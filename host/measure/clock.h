// host/measure/clock.h: the clock of all measurements, and what reading it costs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace opsrun::host {

// Nanoseconds of the steady clock, as in StepTime.
inline int64_t NowNs() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

// Nanoseconds from one reading to the next, without disturbances.
inline double ClockCost() {
  constexpr int kReadings = 100, kTries = 50;
  double least = 1e9;
  for (int i = 0; i < kTries; ++i) {
    const int64_t begin = NowNs();
    for (int k = 1; k < kReadings; ++k) NowNs();
    least = std::min(least, static_cast<double>(NowNs() - begin) / kReadings);
  }
  return least;
}

}  // namespace opsrun::host
