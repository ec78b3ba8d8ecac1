// opsrun_compat/weighted_picker.h: random::WeightedPicker: draws indices with integer weights that may change.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/logging.h"
#include "opsrun_compat/simple_philox.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {
namespace random {

// Picks and changes of a weight take a time that grows with the logarithm of the number of elements. The sum of the
// weights must fit an int32. For one thread at a time.
class WeightedPicker {
 public:
  // n elements of weight 1.
  explicit WeightedPicker(int n) { Set(std::vector<int32>(static_cast<size_t>(n), 1)); }

  int num_elements() const { return static_cast<int>(weights_.size()); }
  int32 total_weight() const { return total_; }
  int32 get_weight(int i) const { return weights_[static_cast<size_t>(i)]; }

  // An index, as likely as its weight says; -1 if all weights are 0.
  int Pick(SimplePhilox* generator) const {
    if (total_ == 0) return -1;
    return PickAt(static_cast<int32>(generator->Uniform(static_cast<uint32>(total_))));
  }
  // The first index with which the sum of the weights so far is greater than `position`. -1 unless the position is in
  // [0, total_weight()).
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
  // A Fenwick tree: sums_[i] is the sum of as many weights that end before i as the lowest bit of i says.
  std::vector<int32> sums_;
  size_t top_ = 1;  // the greatest power of 2 that is not above the number of weights
  int32 total_ = 0;
};

}  // namespace random
}  // namespace OPSRUN_HIDDEN
