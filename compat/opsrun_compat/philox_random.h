// opsrun_compat/philox_random.h: random::PhiloxRandom, whose numbers depend only on a key and their position; uniform,
// normal and truncated normal distributions of them.
// Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011: ten rounds
// turn a 128-bit counter into four 32-bit numbers, so Skip has constant cost. For CPU and GPU code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <math.h>

#include "opsrun/internal/enter_tensorflow.h"
// Eigen comes before types.h, so that kernels use its 16-bit floats.
// clang-format off
#include "opsrun_compat/eigen.h"
#include "opsrun/types.h"
// clang-format on

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
  static constexpr int kResultElementCount = 4, kElementCost = 10;  // the cost is in cycles, approximately

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

// Distributions are function objects that take a generator by pointer and return kResultElementCount numbers, which
// equal TensorFlow's. kVariableSamplesPerOutput: the consumption of the generator varies.

// Returns the numbers of a generator one by one. The generator must outlive it.
template <class Generator>
class SingleSampleAdapter {
 public:
  typedef typename Generator::ResultElementType ResultType, ResultElementType;
  static constexpr int kResultElementCount = 1, kNativeElementCount = Generator::kResultElementCount;
  static constexpr int kElementCost = Generator::kElementCost + 4;

  PHILOX_DEVICE_INLINE explicit SingleSampleAdapter(Generator* generator) : generator_(generator) {}
  PHILOX_DEVICE_INLINE ResultType operator()() {
    if (next_ == kNativeElementCount) Refill();
    return results_[next_++];
  }
  // Skips `count` numbers.
  PHILOX_DEVICE_INLINE void Skip(uint64 count) {
    const uint64 left = static_cast<uint64>(kNativeElementCount - next_);
    if (count <= left) {
      next_ += static_cast<int>(count);
      return;
    }
    generator_->Skip((count - left) / kNativeElementCount);
    next_ = kNativeElementCount;
    const int rest = static_cast<int>((count - left) % kNativeElementCount);
    if (rest == 0) return;
    Refill();
    next_ = rest;
  }

 private:
  PHILOX_DEVICE_INLINE void Refill() {
    results_ = (*generator_)();
    next_ = 0;
  }

  Generator* generator_;
  typename Generator::ResultType results_;
  int next_ = kNativeElementCount;
};

namespace internal {

// The base of uniform distributions: sample i of a result is a number made from kWords 32-bit words. Integers use all
// bits and are unsigned.
template <class Generator, typename T>
class UniformSamples {
  static constexpr bool kIsHalf = DataTypeToEnum<T>::value == DT_HALF;
  static constexpr bool kIsBFloat16 = DataTypeToEnum<T>::value == DT_BFLOAT16;
  static_assert(kIsHalf || kIsBFloat16 || (std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8)),
                "there are random numbers of half, bfloat16, float, double and integers of 32 and 64 bits");
  static constexpr int kWords = sizeof(T) == 8 ? 2 : 1;

 public:
  static constexpr int kResultElementCount = Generator::kResultElementCount / kWords;
  static constexpr int kElementCost = 3;
  static constexpr bool kVariableSamplesPerOutput = false;
  typedef Array<T, kResultElementCount> ResultType;
  typedef T ResultElementType;

 protected:
  PHILOX_DEVICE_INLINE static auto Sample(const typename Generator::ResultType& words, int i) {
    const int first = i * kWords;
    if constexpr (std::is_same_v<T, float>) {
      return Uint32ToFloat(words[first]);
    } else if constexpr (std::is_same_v<T, double>) {
      return Uint64ToDouble(words[first], words[first + 1]);
    } else if constexpr (kIsHalf || kIsBFloat16) {
      const uint16 bits = static_cast<uint16>(words[first]);
      return T(kIsHalf ? static_cast<float>(Uint16ToHalf(bits)) : static_cast<float>(Uint16ToGfloat16(bits)));
    } else if constexpr (kWords == 1) {
      return static_cast<std::make_unsigned_t<T>>(words[first]);
    } else {
      return static_cast<std::make_unsigned_t<T>>(static_cast<uint64>(words[first + 1]) << 32 | words[first]);
    }
  }
};

}  // namespace internal

// a + b, where b is unsigned and the sum is in the range of a's type.
template <typename Int>
PHILOX_DEVICE_INLINE Int SignedAdd(Int a, std::make_unsigned_t<Int> b) {
  return static_cast<Int>(static_cast<std::make_unsigned_t<Int>>(a) + b);
}

// Numbers in [0, 1) or, if T is an integer type, in [low, high), which are arguments of the constructor.
template <class Generator, typename T>
class UniformDistribution : public internal::UniformSamples<Generator, T> {
  typedef internal::UniformSamples<Generator, T> Base;

 public:
  UniformDistribution() = default;
  template <typename U = T, typename = std::enable_if_t<std::is_integral_v<U>>>
  PHILOX_DEVICE_INLINE UniformDistribution(U low, T high)
      : low_(low), range_(static_cast<Bits>(high) - static_cast<Bits>(low)) {}

  PHILOX_DEVICE_INLINE typename Base::ResultType operator()(Generator* generator) {
    const typename Generator::ResultType words = (*generator)();
    typename Base::ResultType result;
    for (int i = 0; i < Base::kResultElementCount; ++i) {
      if constexpr (std::is_integral_v<T>) {
        // Unsigned, so that a range wider than half of the type does not overflow.
        result[i] = static_cast<T>(static_cast<Bits>(low_) + Base::Sample(words, i) % range_);
      } else {
        result[i] = Base::Sample(words, i);
      }
    }
    return result;
  }

 private:
  typedef std::conditional_t<sizeof(T) == 8, uint64, uint32> Bits;
  T low_{};
  Bits range_ = 1;
};

// All numbers of an integer type.
template <class Generator, typename T>
class UniformFullIntDistribution : public internal::UniformSamples<Generator, T> {
  typedef internal::UniformSamples<Generator, T> Base;

 public:
  PHILOX_DEVICE_INLINE typename Base::ResultType operator()(Generator* generator) {
    const typename Generator::ResultType words = (*generator)();
    typename Base::ResultType result;
    for (int i = 0; i < Base::kResultElementCount; ++i) result[i] = static_cast<T>(Base::Sample(words, i));
    return result;
  }
};

namespace internal {

// Two normally distributed numbers from the words of next(): four words for double, two for other types.
template <typename T, typename Next>
PHILOX_DEVICE_INLINE void NormalPair(Next&& next, T* pair) {
  if constexpr (std::is_same_v<T, double>) {
    const uint32 x0 = next(), x1 = next(), x2 = next(), x3 = next();
    BoxMullerDouble(x0, x1, x2, x3, &pair[0], &pair[1]);
  } else {
    const uint32 x0 = next(), x1 = next();
    float numbers[2];
    BoxMullerFloat(x0, x1, &numbers[0], &numbers[1]);
    pair[0] = T(numbers[0]);
    pair[1] = T(numbers[1]);
  }
}

}  // namespace internal

// Mean 0 and standard deviation 1.
template <class Generator, typename T>
class NormalDistribution {
 public:
  static constexpr int kResultElementCount = Generator::kResultElementCount / (std::is_same_v<T, double> ? 2 : 1);
  static constexpr int kElementCost = 70;
  static constexpr bool kVariableSamplesPerOutput = false;
  typedef Array<T, kResultElementCount> ResultType;
  typedef T ResultElementType;

  PHILOX_DEVICE_INLINE ResultType operator()(Generator* generator) {
    const typename Generator::ResultType words = (*generator)();
    ResultType result;
    int at = 0;
    for (int i = 0; i < kResultElementCount; i += 2) {
      internal::NormalPair([&] { return words[at++]; }, &result[i]);
    }
    return result;
  }
};

// Mean 0 and standard deviation 1 before truncation; numbers further than 2 from the mean are dropped.
template <class SingleSampleGenerator, typename T>
class TruncatedNormalDistribution {
 public:
  static constexpr int kResultElementCount =
      SingleSampleGenerator::kNativeElementCount / (std::is_same_v<T, double> ? 2 : 1);
  static constexpr int kElementCost = 90;
  static constexpr bool kVariableSamplesPerOutput = true;
  static constexpr float kTruncateValue = 2.0f;
  typedef Array<T, kResultElementCount> ResultType;
  typedef T ResultElementType;

  PHILOX_DEVICE_INLINE ResultType operator()(SingleSampleGenerator* generator) {
    typedef std::conditional_t<std::is_same_v<T, double>, double, float> Wide;
    ResultType result;
    for (int n = 0; n < kResultElementCount;) {
      Wide pair[2];
      internal::NormalPair(*generator, pair);
      for (int i = 0; i < 2 && n < kResultElementCount; ++i) {
        if (pair[i] < kTruncateValue && pair[i] > -kTruncateValue) result[n++] = T(pair[i]);
      }
    }
    return result;
  }
};

}  // namespace random
}  // namespace OPSRUN_HIDDEN
