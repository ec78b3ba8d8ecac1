// absl/base/optimization.h: hints about branches.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "absl/base/config.h"

#define ABSL_PREDICT_TRUE(x) (__builtin_expect(!!(x), 1))
#define ABSL_PREDICT_FALSE(x) (__builtin_expect(!!(x), 0))
#define ABSL_CACHELINE_SIZE 64
#define ABSL_CACHELINE_ALIGNED __attribute__((aligned(ABSL_CACHELINE_SIZE)))
#define ABSL_BLOCK_TAIL_CALL_OPTIMIZATION() __asm__ __volatile__("")
#define ABSL_ASSUME(condition)                 \
  do {                                         \
    if (!(condition)) __builtin_unreachable(); \
  } while (false)
