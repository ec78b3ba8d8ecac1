// opsrun_compat/random_distributions.h: uniform, normal and truncated normal distributions.
//
// Function objects that take a generator by pointer and return kResultElementCount numbers, which equal TensorFlow's.
// kVariableSamplesPerOutput: the consumption of the generator varies. For CPU and GPU code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun_compat/philox_random.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace random {

// Returns the numbers of a generator one by one. The generator must outlive it.
template <class Generator>
class SingleSampleAdapter {
 public:
  typedef typename Generator::ResultElementType ResultType;
  typedef typename Generator::ResultElementType ResultElementType;
  static constexpr int kResultElementCount = 1;
  static constexpr int kNativeElementCount = Generator::kResultElementCount;
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

// A number made from `kWords` 32-bit words, from number `first` on. Integers use all bits and are unsigned.
template <typename T>
struct UniformNumber {
  static constexpr bool kIsHalf = DataTypeToEnum<T>::value == DT_HALF;
  static constexpr bool kIsBFloat16 = DataTypeToEnum<T>::value == DT_BFLOAT16;
  static_assert(kIsHalf || kIsBFloat16 || (std::is_arithmetic_v<T> && (sizeof(T) == 4 || sizeof(T) == 8)),
                "there are random numbers of half, bfloat16, float, double and integers of 32 and 64 bits");
  static constexpr int kWords = sizeof(T) == 8 ? 2 : 1;

  template <typename Words>
  PHILOX_DEVICE_INLINE static auto Of(const Words& words, int first) {
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

// The base of uniform distributions: sample i of a result is a UniformNumber.
template <class Generator, typename T>
class UniformSamples {
 public:
  static constexpr int kResultElementCount = Generator::kResultElementCount / UniformNumber<T>::kWords;
  static constexpr int kElementCost = 3;
  static constexpr bool kVariableSamplesPerOutput = false;
  typedef Array<T, kResultElementCount> ResultType;
  typedef T ResultElementType;

 protected:
  PHILOX_DEVICE_INLINE static auto Sample(const typename Generator::ResultType& words, int i) {
    return UniformNumber<T>::Of(words, i * UniformNumber<T>::kWords);
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
