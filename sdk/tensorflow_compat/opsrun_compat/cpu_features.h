// opsrun_compat/cpu_features.h: port::TestCPUFeature: which instructions this machine has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace port {

enum CPUFeature {
  SSE,
  SSE2,
  SSE3,
  SSSE3,
  SSE4_1,
  SSE4_2,
  POPCNT,
  BMI1,
  BMI2,
  AVX,
  AVX2,
  FMA,
  AVX512F,
  AVX512VL,
  AVX512BW,
  AVX512DQ
};

// False on machines other than x86.
inline bool TestCPUFeature([[maybe_unused]] CPUFeature feature) {
#if defined(__x86_64__)
  const bool has[] = {
      __builtin_cpu_supports("sse") != 0,      __builtin_cpu_supports("sse2") != 0,
      __builtin_cpu_supports("sse3") != 0,     __builtin_cpu_supports("ssse3") != 0,
      __builtin_cpu_supports("sse4.1") != 0,   __builtin_cpu_supports("sse4.2") != 0,
      __builtin_cpu_supports("popcnt") != 0,   __builtin_cpu_supports("bmi") != 0,
      __builtin_cpu_supports("bmi2") != 0,     __builtin_cpu_supports("avx") != 0,
      __builtin_cpu_supports("avx2") != 0,     __builtin_cpu_supports("fma") != 0,
      __builtin_cpu_supports("avx512f") != 0,  __builtin_cpu_supports("avx512vl") != 0,
      __builtin_cpu_supports("avx512bw") != 0, __builtin_cpu_supports("avx512dq") != 0,
  };
  return has[feature];
#else
  return false;
#endif
}

}  // namespace port
}  // namespace OPSRUN_HIDDEN
