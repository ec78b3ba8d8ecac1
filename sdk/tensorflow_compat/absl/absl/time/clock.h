// absl/time/clock.h: absl::Now, GetCurrentTimeNanos and SleepFor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <thread>

#include "absl/time/time.h"

OPSRUN_ABSL_BEGIN

inline int64_t GetCurrentTimeNanos() {
  return ToUnixNanos(Now());
}
inline void SleepFor(Duration duration) {
  if (duration > ZeroDuration()) std::this_thread::sleep_for(ToChronoNanoseconds(duration));
}

OPSRUN_ABSL_END
