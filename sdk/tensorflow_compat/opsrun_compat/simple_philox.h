// opsrun_compat/simple_philox.h: random::SimplePhilox: one number a call from a PhiloxRandom.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun_compat/exact_uniform_int.h"
#include "opsrun_compat/philox_random.h"
#include "opsrun_compat/random_distributions.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace random {

// For one thread at a time. The generator must outlive it.
class SimplePhilox {
 public:
  explicit SimplePhilox(PhiloxRandom* generator) : words_(generator) {}

  uint32 Rand32() { return words_(); }
  uint64 Rand64() {
    const uint32 low = words_(), high = words_();
    return static_cast<uint64>(high) << 32 | low;
  }
  // In [0, 1).
  float RandFloat() { return Uint32ToFloat(words_()); }
  double RandDouble() {
    const uint32 high = words_(), low = words_();
    return Uint64ToDouble(high, low);
  }
  // In [0, n); 0 if n is 0.
  uint32 Uniform(uint32 n) {
    return ExactUniformInt(n, [this] { return Rand32(); });
  }
  uint64 Uniform64(uint64 n) {
    return ExactUniformInt(n, [this] { return Rand64(); });
  }
  // True once in n calls, on average.
  bool OneIn(uint32 n) { return Uniform(n) == 0; }
  // In [0, 2^max_log): a number of bits that is uniform, then a number of so many bits.
  uint32 Skewed(int max_log) {
    const uint32 bits = Uniform(static_cast<uint32>(max_log) + 1);
    return Uniform(uint32{1} << bits);
  }

 private:
  SingleSampleAdapter<PhiloxRandom> words_;
};

}  // namespace random
}  // namespace OPSRUN_HIDDEN
