// opsrun_compat/kernel_random.h: random numbers for kernels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/op_kernel.h"
#include "opsrun/shard.h"
#include "opsrun_compat/samplers.h"
#include "opsrun_compat/threadpool.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// Requires: Init is called once, before any other method. The other methods are thread-safe.
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

  // A generator for `samples` results of four numbers, which are reserved for the caller.
  random::PhiloxRandom ReserveSamples128(int64 samples) {
    CHECK(is_initialized_) << "GuardedPhiloxRandom: Init was not called";
    mutex_lock lock(mutex_);
    const random::PhiloxRandom reserved = generator_;
    generator_.Skip(static_cast<uint64>(samples));
    return reserved;
  }
  // The same for `samples` numbers.
  random::PhiloxRandom ReserveSamples32(int64 samples) { return ReserveSamples128((samples + 3) / 4); }
  // The same for `count` outputs of a distribution, each of which consumes at most `multiplier` results.
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

// functor::FillPhiloxRandom: fills memory with random numbers, using all threads.
//
// The numbers are those of TensorFlow's ops. They come in groups, one per call of the distribution. The position of a
// group in the generator's sequence depends only on its index, so the numbers do not depend on the number of threads.

namespace internal {

// Writes the numbers of groups [begin, end), of `size` numbers in total. The last group may be truncated.
template <class Distribution>
void FillRandomGroups(const random::PhiloxRandom& generator, typename Distribution::ResultElementType* data, int64 size,
                      int64 begin, int64 end, Distribution distribution) {
  constexpr int64 kGroup = Distribution::kResultElementCount;
  const auto store = [=](int64 group, const typename Distribution::ResultType& numbers) {
    std::copy_n(&numbers[0], std::min(kGroup, size - group * kGroup), data + group * kGroup);
  };
  random::PhiloxRandom own = generator;
  if constexpr (Distribution::kVariableSamplesPerOutput) {
    // As in TensorFlow, this many 32-bit samples are reserved for each number, whatever a group consumes.
    constexpr int64 kRoom = 256;
    for (int64 group = begin; group < end; ++group) {
      own = generator;
      own.Skip(static_cast<uint64>(group * (kGroup * kRoom / random::PhiloxRandom::kResultElementCount)));
      random::SingleSampleAdapter<random::PhiloxRandom> samples(&own);
      store(group, distribution(&samples));
    }
  } else {
    own.Skip(static_cast<uint64>(begin));
    for (int64 group = begin; group < end; ++group) store(group, distribution(&own));
  }
}

// The generator for two words of a counter and one word of a key, as in the state of TensorFlow's generators.
inline random::PhiloxRandom PhiloxOfWords(const uint64* counter, const uint64* key) {
  random::PhiloxRandom::ResultType words;
  random::PhiloxRandom::Key keys;
  for (int i = 0; i < 4; ++i) words[i] = static_cast<uint32>(counter[i / 2] >> (i % 2 * 32));
  for (int i = 0; i < 2; ++i) keys[i] = static_cast<uint32>(*key >> (i * 32));
  return random::PhiloxRandom(words, keys);
}

template <typename Device>
inline constexpr bool kFillsRandom = false;

}  // namespace internal

namespace functor {

typedef Eigen::ThreadPoolDevice CPUDevice;

template <typename Device, class Distribution>
struct FillPhiloxRandom {
  static_assert(internal::kFillsRandom<Device>,
                "FillPhiloxRandom is for the CPU; a kernel for GPUs fills its output with PhiloxRandom itself");
};

template <class Distribution>
struct FillPhiloxRandom<CPUDevice, Distribution> {
  // Writes `size` numbers. If not NULL, `key` (a word) and `counter` (two) replace `generator`. A shared generator must
  // have reserved 256 results for each number: ReserveRandomOutputs(size, 256).
  void operator()(OpKernelContext* context, const CPUDevice&, const uint64* key, const uint64* counter,
                  random::PhiloxRandom generator, typename Distribution::ResultElementType* data, int64 size,
                  Distribution distribution) const {
    if (key != nullptr && counter != nullptr) generator = internal::PhiloxOfWords(counter, key);
    constexpr int64 kGroup = Distribution::kResultElementCount;
    constexpr int64 kCost =
        (random::PhiloxRandom::kElementCost + Distribution::kElementCost) * random::PhiloxRandom::kResultElementCount;
    const auto* workers = context->device()->tensorflow_cpu_worker_threads();
    Shard(workers->num_threads, workers->workers, (size + kGroup - 1) / kGroup, kCost,
          [&](int64 begin, int64 end) { internal::FillRandomGroups(generator, data, size, begin, end, distribution); });
  }
  // The signature before keys and counters were added.
  void operator()(OpKernelContext* context, const CPUDevice& device, random::PhiloxRandom generator,
                  typename Distribution::ResultElementType* data, int64 size, Distribution distribution) const {
    (*this)(context, device, nullptr, nullptr, generator, data, size, distribution);
  }
};

}  // namespace functor

}  // namespace OPSRUN_HIDDEN
