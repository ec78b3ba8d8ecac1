// plugins/median_pool/counts.h: how often each key stands in a window, and the key at a place in their order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace median_pool {

// Keys are counted one by one, in groups of 2^kBits, and in groups of groups, so that a search skips most of them.
template <int kBits>
class Counts {
 public:
  explicit Counts(size_t keys) : one_(keys, 0), group_((keys >> kBits) + 1, 0), groups_((keys >> (2 * kBits)) + 1, 0) {}

  void Add(size_t key, int32_t by) {
    one_[key] += by;
    group_[key >> kBits] += by;
    groups_[key >> (2 * kBits)] += by;
  }
  int32_t Of(size_t key) const { return one_[key]; }

  // The key of which `place` others stand before it, or at it. Requires: more than `place` were added.
  size_t At(int32_t place) const {
    size_t key = Skip(groups_, 0, &place) << kBits;
    key = Skip(group_, key, &place) << kBits;
    return Skip(one_, key, &place);
  }

 private:
  static size_t Skip(const std::vector<int32_t>& counts, size_t from, int32_t* place) {
    while (*place >= counts[from]) *place -= counts[from++];
    return from;
  }

  std::vector<int32_t> one_, group_, groups_;
};

}  // namespace median_pool
