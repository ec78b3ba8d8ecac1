// opsrun/float16.h: the 16-bit floating-point types that a kernel uses when Eigen is not included.
//
// They are constructed from any number and convert to float, so kernels written for float compile for them; arithmetic
// is float arithmetic. If Eigen is included, kernels use Eigen::half and Eigen::bfloat16 instead, which have the same
// bytes. None of these types is named `half`, because CUDA defines that name in the global namespace.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdint.h>
#include <string.h>

#include <type_traits>

#include "opsrun/namespace.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace internal {

OPSRUN_HOST_DEVICE inline uint32_t FloatBits(float f) {
  uint32_t bits;
  memcpy(&bits, &f, sizeof(bits));
  return bits;
}

OPSRUN_HOST_DEVICE inline float FloatOfBits(uint32_t bits) {
  float f;
  memcpy(&f, &bits, sizeof(f));
  return f;
}

// IEEE binary16. Rounds to nearest, ties to even.
struct HalfFormat {
  OPSRUN_HOST_DEVICE static uint16_t Encode(float f) {
#ifdef __CUDA_ARCH__
    uint16_t half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(f));  // one instruction with the same rounding
    return half;
#else
    const uint32_t bits = FloatBits(f), magnitude = bits & 0x7fffffffu;
    const uint16_t sign = static_cast<uint16_t>(bits >> 16 & 0x8000u);
    if (magnitude > 0x7f800000u) return sign | 0x7e00u;
    if (magnitude >= 0x47800000u) return sign | 0x7c00u;
    if (magnitude < 0x38800000u) {  // subnormal: the sum is rounded at the last bit of a half
      return sign | static_cast<uint16_t>(FloatBits(FloatOfBits(magnitude) + 0.5f) - FloatBits(0.5f));
    }
    return sign | static_cast<uint16_t>((magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1u)) >> 13);
#endif
  }
  OPSRUN_HOST_DEVICE static float Decode(uint16_t half) {
#ifdef __CUDA_ARCH__
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(half));
    return f;
#else
    const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16, rest = half & 0x7fffu;
    if (rest >= 0x7c00u) return FloatOfBits(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
    if (rest < 0x0400u) return FloatOfBits(sign | FloatBits(static_cast<float>(rest) * 0x1p-24f));
    return FloatOfBits(sign | ((rest << 13) + 0x38000000u));
#endif
  }
};

// The upper half of a binary32. Rounds to nearest, ties to even.
struct BFloat16Format {
  OPSRUN_HOST_DEVICE static uint16_t Encode(float f) {
    const uint32_t bits = FloatBits(f);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>(bits >> 16 | 0x40u);
    return static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);
  }
  OPSRUN_HOST_DEVICE static float Decode(uint16_t b) { return FloatOfBits(static_cast<uint32_t>(b) << 16); }
};

template <typename Format>
class Float16 {
 public:
  Float16() = default;
  template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
  OPSRUN_HOST_DEVICE Float16(T number) : bits_(Format::Encode(static_cast<float>(number))) {}
  OPSRUN_HOST_DEVICE operator float() const { return Format::Decode(bits_); }

  OPSRUN_HOST_DEVICE Float16& operator+=(float f) { return *this = *this + f; }
  OPSRUN_HOST_DEVICE Float16& operator-=(float f) { return *this = *this - f; }
  OPSRUN_HOST_DEVICE Float16& operator*=(float f) { return *this = *this * f; }
  OPSRUN_HOST_DEVICE Float16& operator/=(float f) { return *this = *this / f; }

 private:
  uint16_t bits_;
};

using Half = Float16<HalfFormat>;
using BFloat16 = Float16<BFloat16Format>;

}  // namespace internal
}  // namespace OPSRUN_HIDDEN
