// tests/sdk/live_memory.h: whether code gives back all memory that it takes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>
#include <malloc.h>

namespace opsrun_test {

// Fails the test if `body` leaves more memory behind each time that it is called. The caches of malloc, which count as
// used, may grow at first. (Sanitizers count leaks themselves, and this sees nothing there.)
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
