// opsrun_compat/distribution_sampler.h: random::DistributionSampler: draws indices with given weights, each in constant
// time, by Walker's alias method as in Vose, "A linear algorithm for generating random numbers with a given
// distribution", 1991. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "opsrun/array_slice.h"
#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/logging.h"
#include "opsrun_compat/simple_philox.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace random {

// For any number of threads, each with a SimplePhilox of its own.
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
  // With probability `share` the index of the entry, else the other one.
  struct Entry {
    float share = 1;
    int other = 0;
  };

  // The mean of the shares is 1. Each entry below it is filled up by one above it.
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

}  // namespace random
}  // namespace OPSRUN_HIDDEN
