// opsrun_compat/guarded_philox_random.h: GuardedPhiloxRandom: the generator of a kernel, from which concurrent calls
// take numbers that do not overlap.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/logging.h"
#include "opsrun/mutex.h"
#include "opsrun/op_kernel_construction.h"
#include "opsrun/status.h"
#include "opsrun_compat/philox_random.h"
#include "opsrun_compat/random.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// Requires: one Init, then any number of calls of the rest, from any thread.
class GuardedPhiloxRandom {
 public:
  GuardedPhiloxRandom() = default;
  GuardedPhiloxRandom(const GuardedPhiloxRandom&) = delete;

  // Reads the attrs `seed` and `seed2`. Fails if the op lacks one of them.
  ReturnedStatus Init(OpKernelConstruction* context) {
    int64 seed = 0, seed2 = 0;
    TF_RETURN_IF_ERROR(context->GetAttr("seed", &seed));
    TF_RETURN_IF_ERROR(context->GetAttr("seed2", &seed2));
    Init(seed, seed2);
    return Status();
  }
  // If both are 0, random seeds.
  void Init(int64 seed, int64 seed2) {
    const bool is_random = seed == 0 && seed2 == 0;
    const uint64 low = is_random ? random::New64() : static_cast<uint64>(seed);
    const uint64 high = is_random ? random::New64() : static_cast<uint64>(seed2);
    Start(random::PhiloxRandom(low, high));
  }
  void Init(random::PhiloxRandom::ResultType counter, random::PhiloxRandom::Key key) {
    Start(random::PhiloxRandom(counter, key));
  }

  // A generator for `samples` results of four numbers, which nobody else gets.
  random::PhiloxRandom ReserveSamples128(int64 samples) {
    CHECK(is_initialized_) << "GuardedPhiloxRandom: Init was not called";
    mutex_lock lock(mutex_);
    const random::PhiloxRandom reserved = generator_;
    generator_.Skip(static_cast<uint64>(samples));
    return reserved;
  }
  // The same for `samples` numbers.
  random::PhiloxRandom ReserveSamples32(int64 samples) { return ReserveSamples128((samples + 3) / 4); }
  // The same for `count` outputs of a distribution, each of which takes at most `multiplier` results.
  random::PhiloxRandom ReserveRandomOutputs(int64 count, int multiplier) {
    return ReserveSamples128(count * multiplier);
  }

 private:
  void Start(const random::PhiloxRandom& generator) {
    CHECK(!is_initialized_) << "GuardedPhiloxRandom: Init was called twice";
    mutex_lock lock(mutex_);
    generator_ = generator;
    is_initialized_ = true;
  }

  mutex mutex_;
  random::PhiloxRandom generator_ TF_GUARDED_BY(mutex_);
  bool is_initialized_ = false;
};

}  // namespace OPSRUN_HIDDEN
