// tests/sdk/live_memory.h: checks that code frees all memory that it allocates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <malloc.h>

namespace opsrun_test {

// Fails the test if each call of `body` leaves more memory allocated. The caches of malloc, which count as used, may
// grow at first. (Sanitizers detect leaks themselves; this check does nothing with them.)
template <typename Body>
void ExpectNoLeak(Body body) {
  constexpr int kTimes = 8;
  size_t before = 0;
  for (int round = 0; round < 12; ++round) {
    const size_t now = mallinfo2().uordblks;
    if (round > 1 && now <= before) return;
    before = now;
    for (int i = 0; i < kTimes; ++i) body();
  }
  EXPECT_LE(mallinfo2().uordblks, before) << "memory grows with each call";
}

}  // namespace opsrun_test
