// opsrun_compat/random_numbers.h: random bits as numbers in [0, 1) and as normally distributed numbers. For hosts and
// for kernels of a GPU. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <math.h>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/eigen.h"
#include "opsrun_compat/philox_random.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace random {

// Numbers in [0, 1), all equally far from their neighbours. They use as many bits as the fraction of the type has, the
// lowest ones, and are exact.
PHILOX_DEVICE_INLINE float Uint32ToFloat(uint32 bits) {
  return static_cast<float>(bits & 0x7fffff) * 0x1p-23f;
}
PHILOX_DEVICE_INLINE double Uint64ToDouble(uint32 high, uint32 low) {
  return static_cast<double>(static_cast<uint64>(high & 0xfffff) << 32 | low) * 0x1p-52;
}

namespace internal {

// Eigen's types of 16 bits where there is Eigen, as in TensorFlow.
#ifdef OPSRUN_EIGEN_IS_IN
typedef Eigen::half Half;
typedef Eigen::bfloat16 BFloat16;
#else
typedef OPSRUN_HALF Half;
typedef OPSRUN_BFLOAT16 BFloat16;
#endif

}  // namespace internal

PHILOX_DEVICE_INLINE internal::Half Uint16ToHalf(uint16 bits) {
  return internal::Half(static_cast<float>(bits & 0x3ff) * 0x1p-10f);
}
PHILOX_DEVICE_INLINE internal::BFloat16 Uint16ToGfloat16(uint16 bits) {
  return internal::BFloat16(static_cast<float>(bits & 0x7f) * 0x1p-7f);
}

namespace internal {

constexpr double kTau = 6.283185307179586476925286766559;
constexpr float kLeastUniform = 1.0e-7f;  // instead of 0, which has no logarithm

}  // namespace internal

// Two independent normally distributed numbers, of mean 0 and deviation 1, by the transform of Box and Muller. The last
// bit depends on the logarithm and the sine of the C library or of the GPU.
PHILOX_DEVICE_INLINE void BoxMullerFloat(uint32 x0, uint32 x1, float* f0, float* f1) {
  const float uniform = Uint32ToFloat(x0);
  const float angle = static_cast<float>(internal::kTau * Uint32ToFloat(x1));
  const float radius = sqrtf(-2.0f * logf(uniform < internal::kLeastUniform ? internal::kLeastUniform : uniform));
  *f0 = sinf(angle) * radius;
  *f1 = cosf(angle) * radius;
}
PHILOX_DEVICE_INLINE void BoxMullerDouble(uint32 x0, uint32 x1, uint32 x2, uint32 x3, double* d0, double* d1) {
  constexpr double kLeast = 1.0e-7;
  const double uniform = Uint64ToDouble(x0, x1), angle = internal::kTau * Uint64ToDouble(x2, x3);
  const double radius = sqrt(-2.0 * log(uniform < kLeast ? kLeast : uniform));
  *d0 = sin(angle) * radius;
  *d1 = cos(angle) * radius;
}

}  // namespace random
}  // namespace OPSRUN_HIDDEN
