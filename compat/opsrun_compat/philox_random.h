// opsrun_compat/philox_random.h: random::PhiloxRandom, whose numbers depend only on a key and their position.
//
// Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011: ten rounds
// turn a 128-bit counter into four 32-bit numbers, so Skip has constant cost. For CPU and GPU code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <math.h>

#include "opsrun/internal/enter_tensorflow.h"
// Before types.h, so that kernels use Eigen's 16-bit floats.
#include "opsrun_compat/eigen.h"

#include "opsrun/types.h"

// For functions that sources define in addition to those of this header.
#define PHILOX_DEVICE_FUNC OPSRUN_HOST_DEVICE
#define PHILOX_INLINE inline
#define PHILOX_DEVICE_INLINE PHILOX_DEVICE_FUNC PHILOX_INLINE

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace random {

// N elements, initially 0.
template <typename T, int N>
class Array {
 public:
  static constexpr int kElementCount = N;

  PHILOX_DEVICE_INLINE const T& operator[](int i) const { return data_[i]; }
  PHILOX_DEVICE_INLINE T& operator[](int i) { return data_[i]; }
  PHILOX_DEVICE_INLINE size_t size() const { return N; }

 private:
  T data_[N] = {};
};

// Not thread-safe: each thread needs its own copy, which is 24 bytes, and skips to its own numbers.
class PhiloxRandom {
 public:
  typedef Array<uint32, 4> ResultType;
  typedef uint32 ResultElementType;
  typedef Array<uint32, 2> Key;
  static constexpr int kResultElementCount = 4;
  static constexpr int kElementCost = 10;  // in cycles, approximately

  PhiloxRandom() = default;
  PHILOX_DEVICE_INLINE explicit PhiloxRandom(uint64 seed) { SetWords(seed, &key_[0]); }
  // seed_hi is the upper half of the counter, so generators with the same seed_lo and different seed_hi do not overlap.
  PHILOX_DEVICE_INLINE PhiloxRandom(uint64 seed_lo, uint64 seed_hi) : PhiloxRandom(seed_lo) {
    SetWords(seed_hi, &counter_[2]);
  }
  PHILOX_DEVICE_INLINE PhiloxRandom(const ResultType& counter, const Key& key) : counter_(counter), key_(key) {}

  PHILOX_DEVICE_INLINE const ResultType& counter() const { return counter_; }
  PHILOX_DEVICE_INLINE const Key& key() const { return key_; }

  // Skips `count` results of four numbers each.
  PHILOX_DEVICE_INLINE void Skip(uint64 count) {
    const uint64 low = Low() + count, carry = low < count;
    SetWords(low, &counter_[0]);
    if (carry != 0) SetWords((static_cast<uint64>(counter_[3]) << 32 | counter_[2]) + 1, &counter_[2]);
  }

  PHILOX_DEVICE_INLINE ResultType operator()() {
    ResultType words = counter_;
    Key key = key_;
    for (int round = 0; round < kRounds; ++round) {
      words = Round(words, key);
      key[0] += kWeyl0;
      key[1] += kWeyl1;
    }
    Skip(1);
    return words;
  }

 private:
  // The paper's constants.
  static constexpr int kRounds = 10;
  static constexpr uint32 kFactor0 = 0xD2511F53, kFactor1 = 0xCD9E8D57;
  static constexpr uint32 kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;

  PHILOX_DEVICE_INLINE static void SetWords(uint64 value, uint32* words) {
    words[0] = static_cast<uint32>(value);
    words[1] = static_cast<uint32>(value >> 32);
  }
  PHILOX_DEVICE_INLINE uint64 Low() const { return static_cast<uint64>(counter_[1]) << 32 | counter_[0]; }

  PHILOX_DEVICE_INLINE static ResultType Round(const ResultType& in, const Key& key) {
    uint32 product0[2], product1[2];
    SetWords(static_cast<uint64>(kFactor0) * in[0], product0);
    SetWords(static_cast<uint64>(kFactor1) * in[2], product1);
    ResultType out;
    out[0] = product1[1] ^ in[1] ^ key[0];
    out[1] = product1[0];
    out[2] = product0[1] ^ in[3] ^ key[1];
    out[3] = product0[0];
    return out;
  }

  ResultType counter_;
  Key key_;
};

// Exact numbers in [0, 1) on a uniform grid, from as many of the lowest bits as the fraction of the type has.
PHILOX_DEVICE_INLINE float Uint32ToFloat(uint32 bits) {
  return static_cast<float>(bits & 0x7fffff) * 0x1p-23f;
}
PHILOX_DEVICE_INLINE double Uint64ToDouble(uint32 high, uint32 low) {
  return static_cast<double>(static_cast<uint64>(high & 0xfffff) << 32 | low) * 0x1p-52;
}

namespace internal {

// As in TensorFlow, Eigen's 16-bit types if Eigen is included.
#ifdef OPSRUN_EIGEN_IS_IN
typedef Eigen::half Half;
typedef Eigen::bfloat16 BFloat16;
#else
typedef OPSRUN_HALF Half;
typedef OPSRUN_BFLOAT16 BFloat16;
#endif

constexpr double kTau = 6.283185307179586476925286766559;
constexpr double kLeastUniform = 1.0e-7;  // instead of 0, whose logarithm is infinite

}  // namespace internal

PHILOX_DEVICE_INLINE internal::Half Uint16ToHalf(uint16 bits) {
  return internal::Half(static_cast<float>(bits & 0x3ff) * 0x1p-10f);
}
PHILOX_DEVICE_INLINE internal::BFloat16 Uint16ToGfloat16(uint16 bits) {
  return internal::BFloat16(static_cast<float>(bits & 0x7f) * 0x1p-7f);
}

// Two standard normal numbers, by the Box-Muller transform. Their last bit depends on the logarithm and the sine.
PHILOX_DEVICE_INLINE void BoxMullerFloat(uint32 x0, uint32 x1, float* f0, float* f1) {
  constexpr float kLeast = static_cast<float>(internal::kLeastUniform);
  const float uniform = Uint32ToFloat(x0);
  const float angle = static_cast<float>(internal::kTau * Uint32ToFloat(x1));
  const float radius = sqrtf(-2.0f * logf(uniform < kLeast ? kLeast : uniform));
  *f0 = sinf(angle) * radius;
  *f1 = cosf(angle) * radius;
}
PHILOX_DEVICE_INLINE void BoxMullerDouble(uint32 x0, uint32 x1, uint32 x2, uint32 x3, double* d0, double* d1) {
  constexpr double kLeast = internal::kLeastUniform;
  const double uniform = Uint64ToDouble(x0, x1), angle = internal::kTau * Uint64ToDouble(x2, x3);
  const double radius = sqrt(-2.0 * log(uniform < kLeast ? kLeast : uniform));
  *d0 = sin(angle) * radius;
  *d1 = cos(angle) * radius;
}

}  // namespace random

}  // namespace OPSRUN_HIDDEN
