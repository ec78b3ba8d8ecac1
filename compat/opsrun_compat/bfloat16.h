// opsrun_compat/bfloat16.h: conversion of arrays between float and bfloat16.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string.h>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/eigen.h"
// Included first, so that kernels use Eigen's 16-bit floats.
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// Truncates to the upper half of the bits.
inline void FloatToBFloat16(const float* from, bfloat16* to, int64_t size) {
  static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the upper half comes second");
  for (int64_t i = 0; i < size; ++i) memcpy(&to[i], reinterpret_cast<const char*>(&from[i]) + 2, sizeof(to[i]));
}
// Rounds to the nearest, ties to even.
inline void RoundFloatToBFloat16(const float* from, bfloat16* to, int64_t size) {
  for (int64_t i = 0; i < size; ++i) to[i] = static_cast<bfloat16>(from[i]);
}
inline void BFloat16ToFloat(const bfloat16* from, float* to, int64_t size) {
  for (int64_t i = 0; i < size; ++i) to[i] = static_cast<float>(from[i]);
}

}  // namespace OPSRUN_HIDDEN
