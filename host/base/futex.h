// host/base/futex.h: threads that wait for a word of memory, also of another process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <optional>

namespace opsrun::host {

// Sleeps if the word has this value, until somebody wakes its waiters, until the time of the steady clock, or until a
// signal comes; may return early. Any thread.
inline void SleepOn(std::atomic<uint32_t>& word, uint32_t value,
                    std::optional<std::chrono::steady_clock::time_point> until = std::nullopt) {
  timespec time = {};
  if (until) {
    const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(until->time_since_epoch()).count();
    time = {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
  }
  // An absolute time of the monotonic clock, as that of steady_clock is.
  syscall(SYS_futex, &word, FUTEX_WAIT_BITSET, value, until ? &time : nullptr, nullptr, FUTEX_BITSET_MATCH_ANY);
}

// Wakes one thread that sleeps on the word. Any thread.
inline void WakeOne(std::atomic<uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

}  // namespace opsrun::host
