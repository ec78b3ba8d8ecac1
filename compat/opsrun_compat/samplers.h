// opsrun_compat/samplers.h: seeds, single random numbers, and indices drawn by weight.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/array_slice.h"
#include "opsrun/mutex.h"
#include "opsrun_compat/basics.h"
#include "opsrun_compat/philox_random.h"

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

// A number in [0, limit), or 0 if that is 0, from as many calls of bits(), which are all random, as necessary.
template <typename Unsigned, typename Bits>
Unsigned ExactUniformInt(const Unsigned limit, const Bits& bits) {
  Unsigned sample = bits();
  if ((limit & (limit - 1)) == 0) return limit == 0 ? 0 : sample & (limit - 1);
  // Samples below `excess` are drawn again, because they would make small results more likely.
  const Unsigned excess = static_cast<Unsigned>(static_cast<Unsigned>(-1) % limit + 1);
  while (sample < excess) sample = bits();
  return sample % limit;
}

// One number per call from a PhiloxRandom, which must outlive it. Not thread-safe.
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
  // In [0, 2^max_log): the number of bits is uniform, and so is a number of that many bits.
  uint32 Skewed(int max_log) {
    const uint32 bits = Uniform(static_cast<uint32>(max_log) + 1);
    return Uniform(uint32{1} << bits);
  }

 private:
  SingleSampleAdapter<PhiloxRandom> words_;
};

// Draws indices by weight in constant time, with Walker's alias method as in Vose, "A linear algorithm for generating
// random numbers with a given distribution", 1991. Thread-safe; each thread needs its own SimplePhilox.
class DistributionSampler {
 public:
  // Requires: at least one weight; none is negative, and one is positive.
  explicit DistributionSampler(gtl::ArraySlice<float> weights) {
    CHECK(!weights.empty()) << "DistributionSampler: there are no weights";
    double sum = 0;
    for (const float weight : weights) sum += weight;
    CHECK(sum > 0) << "DistributionSampler: the weights have no positive sum";
    const double n = static_cast<double>(weights.size());
    std::vector<double> shares;
    for (const float weight : weights) shares.push_back(weight * n / sum);
    MakeTable(std::move(shares));
  }

  int Sample(SimplePhilox* generator) const {
    const float sample = generator->RandFloat();
    const int i = static_cast<int>(generator->Uniform(static_cast<uint32>(num())));
    const Entry& entry = entries_[static_cast<size_t>(i)];
    return sample < entry.share ? i : entry.other;
  }
  int num() const { return static_cast<int>(entries_.size()); }

 private:
  // With probability `share` the index of the entry, otherwise the other one.
  struct Entry {
    float share = 1;
    int other = 0;
  };

  // The mean of the shares is 1. Each entry below 1 is filled up from one above 1.
  void MakeTable(std::vector<double> shares) {
    std::vector<int> below, above;
    const auto sort = [&](int i) { (shares[static_cast<size_t>(i)] < 1 ? below : above).push_back(i); };
    entries_.resize(shares.size());
    for (int i = 0; i < num(); ++i) sort(i);
    while (!below.empty() && !above.empty()) {
      const int low = below.back(), high = above.back();
      below.pop_back();
      above.pop_back();
      const double share = shares[static_cast<size_t>(low)];
      entries_[static_cast<size_t>(low)] = {static_cast<float>(share), high};
      shares[static_cast<size_t>(high)] += share - 1;
      sort(high);
    }
  }

  std::vector<Entry> entries_;
};

// Draws indices with integer weights that may change, both in logarithmic time. The sum must fit an int32.
class WeightedPicker {
 public:
  // n elements of weight 1.
  explicit WeightedPicker(int n) { Set(std::vector<int32>(static_cast<size_t>(n), 1)); }

  int num_elements() const { return static_cast<int>(weights_.size()); }
  int32 total_weight() const { return total_; }
  int32 get_weight(int i) const { return weights_[static_cast<size_t>(i)]; }

  // An index, with probability proportional to its weight; -1 if all weights are 0.
  int Pick(SimplePhilox* generator) const {
    if (total_ == 0) return -1;
    return PickAt(static_cast<int32>(generator->Uniform(static_cast<uint32>(total_))));
  }
  // The first index up to which the sum is greater than `position`. -1: it is not in [0, total_weight()).
  int PickAt(int32 position) const {
    if (position < 0 || position >= total_) return -1;
    size_t at = 0;
    for (size_t step = top_; step > 0; step /= 2) {
      if (at + step > weights_.size() || sums_[at + step] > position) continue;
      at += step;
      position -= sums_[at];
    }
    return static_cast<int>(at);
  }

  // Requires: weights are not negative.
  void set_weight(int i, int32 weight) {
    const size_t index = static_cast<size_t>(i);
    CHECK_GE(weight, 0);
    CHECK_LT(index, weights_.size());
    Add(index, weight - weights_[index]);
    weights_[index] = weight;
  }
  void SetAllWeights(int32 weight) { Set(std::vector<int32>(weights_.size(), weight)); }
  void SetWeightsFromArray(int n, const int32* weights) { Set(std::vector<int32>(weights, weights + n)); }
  // New elements have weight 0.
  void Resize(int n) {
    std::vector<int32> weights = weights_;
    weights.resize(static_cast<size_t>(n), 0);
    Set(std::move(weights));
  }
  void Append(int32 weight) {
    std::vector<int32> weights = weights_;
    weights.push_back(weight);
    Set(std::move(weights));
  }

 private:
  void Set(std::vector<int32> weights) {
    for (const int32 weight : weights) CHECK_GE(weight, 0);
    weights_ = std::move(weights);
    sums_.assign(weights_.size() + 1, 0);
    total_ = 0;
    for (top_ = 1; top_ * 2 <= weights_.size();) top_ *= 2;
    for (size_t i = 0; i < weights_.size(); ++i) Add(i, weights_[i]);
  }
  void Add(size_t i, int32 more) {
    total_ += more;
    for (++i; i < sums_.size(); i += i & (~i + 1)) sums_[i] += more;
  }

  std::vector<int32> weights_;
  // A Fenwick tree: sums_[i] is the sum of the last (i & -i) weights before i.
  std::vector<int32> sums_;
  size_t top_ = 1;  // the greatest power of 2 that is at most the number of weights
  int32 total_ = 0;
};

}  // namespace random
}  // namespace OPSRUN_HIDDEN
