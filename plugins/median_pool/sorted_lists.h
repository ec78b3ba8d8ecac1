// plugins/median_pool/sorted_lists.h: comparisons that sort, merge and select, before it is known which of them count.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace median_pool {

// What stands at column x + shift of a value. Values below 0 are rows of the window, ~row.
struct Ref {
  int32_t value = 0, shift = 0;
};
typedef std::vector<Ref> List;

// Makes the values 2 * i, the smaller one, and 2 * i + 1, where i is its place among all comparisons.
struct Pair {
  Ref a, b;
};

class SortedLists {
 public:
  // The sorted lists of values that may stand in any order, or in two sorted lists.
  List Sort(const List& values);
  List Merge(const List& a, const List& b);

  // The value that would stand at `k` if both sorted lists were merged. Requires: k is less than their sizes together.
  Ref Select(const List& a, const List& b, int32_t k);

  const std::vector<Pair>& pairs() const { return pairs_; }

 private:
  Ref Low(Ref a, Ref b) { return {2 * Add(a, b), 0}; }
  Ref High(Ref a, Ref b) { return {2 * Add(a, b) + 1, 0}; }
  int32_t Add(Ref a, Ref b) {
    pairs_.push_back({a, b});
    return static_cast<int32_t>(pairs_.size()) - 1;
  }

  std::vector<Pair> pairs_;
};

// The same list for windows that begin `shift` columns later.
List Shifted(List list, int32_t shift);

}  // namespace median_pool
