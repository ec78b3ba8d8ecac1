// tests/cuda/double/clocks.h: vector clocks (Mattern, Virtual Time and Global States of Distributed Systems, 1989).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace cuda_double {

// One number for each stream, and for the CPU, which is number 0: how much of it is known to have happened.
class Clock {
 public:
  uint64_t of(size_t who) const { return who < times_.size() ? times_[who] : 0; }
  uint64_t Tick(size_t who) {
    if (who >= times_.size()) times_.resize(who + 1);
    return ++times_[who];
  }
  void Join(const Clock& other) {
    times_.resize(std::max(times_.size(), other.times_.size()));
    for (size_t who = 0; who < other.times_.size(); ++who) times_[who] = std::max(times_[who], other.times_[who]);
  }

 private:
  std::vector<uint64_t> times_;
};

inline constexpr size_t kCpuClock = 0;

// An operation: when it happened, where, and its name.
struct Moment {
  size_t who = kCpuClock;
  uint64_t time = 0;
  const char* what = nullptr;  // valid as long as the process

  // Whether it happened before everything with this clock.
  bool IsBefore(const Clock& clock) const { return clock.of(who) >= time; }
};

}  // namespace cuda_double
