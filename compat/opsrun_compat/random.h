// opsrun_compat/random.h: random::New64: seeds. Thread-safe.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <random>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/mutex.h"
#include "opsrun/types.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace random {

// 64 random bits, different in each process.
inline uint64 New64() {
  static mutex guard;
  static std::random_device device;
  mutex_lock lock(guard);
  const uint64 high = device();
  return high << 32 | device();
}

// 64 random bits; the sequence is the same in each process.
inline uint64 New64DefaultSeed() {
  static mutex guard;
  static std::mt19937_64 generator;
  mutex_lock lock(guard);
  return generator();
}

}  // namespace random
}  // namespace OPSRUN_HIDDEN
