// SPDX-License-Identifier: Apache-2.0
#include "sorted_lists.h"

#include <algorithm>
#include <cstddef>

namespace median_pool {
namespace {

// Every second one, from `first` on.
List Alternate(const List& list, size_t first) {
  List taken;
  for (size_t i = first; i < list.size(); i += 2) taken.push_back(list[i]);
  return taken;
}

}  // namespace

List Shifted(List list, int32_t shift) {
  for (Ref& ref : list) ref.shift += shift;
  return list;
}

List SortedLists::Sort(const List& values) {
  if (values.size() <= 1) return values;
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  return Merge(Sort(List(values.begin(), middle)), Sort(List(middle, values.end())));
}

// Batcher's odd-even merge: of the merged even places and the merged odd places, only neighbors can be out of order.
List SortedLists::Merge(const List& a, const List& b) {
  if (a.empty() || b.empty()) return a.empty() ? b : a;
  if (a.size() == 1 && b.size() == 1) {
    const int32_t pair = Add(a[0], b[0]);
    return {{2 * pair, 0}, {2 * pair + 1, 0}};
  }
  const List even = Merge(Alternate(a, 0), Alternate(b, 0)), odd = Merge(Alternate(a, 1), Alternate(b, 1));
  List merged = {even[0]};
  for (size_t i = 0; i < std::max(odd.size(), even.size() - 1); ++i) {
    if (i >= odd.size() || i + 1 >= even.size()) {
      merged.push_back(i < odd.size() ? odd[i] : even[i + 1]);
      continue;
    }
    const int32_t pair = Add(odd[i], even[i + 1]);
    merged.push_back({2 * pair, 0});
    merged.push_back({2 * pair + 1, 0});
  }
  return merged;
}

// k + 1 values lie at or below the wanted one: i of list a and the rest of list b, for the i that makes their largest
// the smallest.
Ref SortedLists::Select(const List& a, const List& b, int32_t k) {
  const int32_t in_a = static_cast<int32_t>(a.size()), in_b = static_cast<int32_t>(b.size());
  const int32_t first = std::max(0, k + 1 - in_b), last = std::min(in_a, k + 1);
  const auto largest = [&](int32_t i) {
    if (i == 0) return b[static_cast<size_t>(k)];
    if (i == k + 1) return a[static_cast<size_t>(k)];
    return High(a[static_cast<size_t>(i - 1)], b[static_cast<size_t>(k - i)]);
  };
  Ref smallest = largest(first);
  for (int32_t i = first + 1; i <= last; ++i) smallest = Low(smallest, largest(i));
  return smallest;
}

}  // namespace median_pool
