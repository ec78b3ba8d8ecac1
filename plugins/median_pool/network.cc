// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <numeric>

#include "medians.h"

namespace median_pool {
namespace {

// The value at column x + shift. Values below 0 are rows of the window, ~row.
struct Ref {
  int32_t value = 0, shift = 0;
};
typedef std::vector<Ref> List;

// Computes the values 2 * i, the smaller one, and 2 * i + 1, where i is the pair's index in the list of all pairs.
struct Pair {
  Ref a, b;
};

// The same list for windows that begin `shift` columns later.
List Shifted(List list, int32_t shift) {
  for (Ref& ref : list) ref.shift += shift;
  return list;
}

// Every second element, from `first` on.
List Alternate(const List& list, size_t first) {
  List taken;
  for (size_t i = first; i < list.size(); i += 2) taken.push_back(list[i]);
  return taken;
}

// Builds networks that sort, merge and select; unneeded comparisons are removed later.
class SortedLists {
 public:
  // `values` may be in any order.
  List Sort(const List& values) {
    if (values.size() <= 1) return values;
    const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
    return Merge(Sort(List(values.begin(), middle)), Sort(List(middle, values.end())));
  }

  // a and b are sorted. Batcher's odd-even merge: afterwards, only neighbors can be out of order.
  List Merge(const List& a, const List& b) {
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

  // The value at index `k` of the merged lists a and b, which are sorted: for the i that minimizes the largest of them,
  // i of list a and k + 1 - i of list b are at most the wanted one. Requires: k is less than their total size.
  Ref Select(const List& a, const List& b, int32_t k) {
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

List WindowRows(int32_t rows) {
  List list;
  for (int32_t row = 0; row < rows; ++row) list.push_back({~row, 0});
  return list;
}

// The median of a window, as one of the values of `lists`.
Ref Median(SortedLists& lists, int32_t rows, int32_t columns) {
  const int32_t k = (rows * columns - 1) / 2;
  List sorted = lists.Sort(WindowRows(rows));  // of `width` columns
  List rest;                                   // of the last columns of the window, which do not fill a whole `width`
  int32_t width = 1, at = columns;
  for (; 2 * width < columns; width *= 2) {
    if ((columns & width) != 0) rest = lists.Merge(rest, Shifted(sorted, at -= width));
    sorted = lists.Merge(sorted, Shifted(sorted, width));
  }
  if (columns == 2 * width) rest = Shifted(sorted, width);
  return lists.Select(sorted, rest, k);
}

constexpr int32_t kNotNeeded = -1;

// For each value, how many columns beyond those of the results are needed, or kNotNeeded.
std::vector<int32_t> Needed(const std::vector<Pair>& pairs, Ref result) {
  std::vector<int32_t> needed(2 * pairs.size(), kNotNeeded);
  const auto need = [&](Ref ref, int32_t extra) {
    if (ref.value >= 0)
      needed[static_cast<size_t>(ref.value)] = std::max(needed[static_cast<size_t>(ref.value)], extra);
  };
  need(result, result.shift);
  for (size_t i = pairs.size(); i-- > 0;) {
    const int32_t extra = std::max(needed[2 * i], needed[2 * i + 1]);
    if (extra == kNotNeeded) continue;
    need(pairs[i].a, extra + pairs[i].a.shift);
    need(pairs[i].b, extra + pairs[i].b.shift);
  }
  return needed;
}

// Assigns a slot to each value, from the comparison that computes it to the last one that reads it. Row i of the window
// has slot i at first.
class Slots {
 public:
  Slots(const std::vector<Pair>& pairs, const std::vector<int32_t>& needed, int32_t rows)
      : rows_(rows), count_(rows), slots_(static_cast<size_t>(rows) + needed.size()), last_readers_(slots_.size(), 0) {
    std::iota(slots_.begin(), slots_.begin() + rows, 0);
    for (size_t i = 0; i < pairs.size(); ++i) {
      if (std::max(needed[2 * i], needed[2 * i + 1]) == kNotNeeded) continue;
      last_readers_[Place(pairs[i].a.value)] = last_readers_[Place(pairs[i].b.value)] = i;
    }
  }

  int32_t Of(int32_t value) const { return slots_[Place(value)]; }
  int32_t Take(int32_t value) {
    if (free_.empty()) free_.push_back(count_++);
    const int32_t slot = free_.back();
    free_.pop_back();
    return slots_[Place(value)] = slot;
  }
  // Pair `reader` has read the value.
  void GiveBackIfLast(int32_t value, size_t reader) {
    if (last_readers_[Place(value)] == reader) free_.push_back(Of(value));
  }
  int32_t count() const { return count_; }

 private:
  size_t Place(int32_t value) const { return static_cast<size_t>(value < 0 ? ~value : rows_ + value); }

  int32_t rows_, count_;
  std::vector<int32_t> slots_, free_;
  std::vector<size_t> last_readers_;
};

// An operand in a result's slot may be further right, not left: it is read before it is overwritten.
template <typename T, int kBytes>
struct Wide {
  typedef T Vector __attribute__((vector_size(kBytes)));
  static constexpr int64_t kLanes = kBytes / static_cast<int64_t>(sizeof(T));

  // Results that are not needed are null.
  template <bool kLow, bool kHigh>
  __attribute__((always_inline)) static inline void Compare(const T* a, const T* b, T* low, T* high, int64_t count) {
    for (int64_t i = 0; i < count; i += kLanes) {
      Vector x, y;
      std::memcpy(&x, a + i, kBytes);
      std::memcpy(&y, b + i, kBytes);
      const Vector less = x < y ? x : y, more = x > y ? x : y;
      if constexpr (kLow) std::memcpy(low + i, &less, kBytes);
      if constexpr (kHigh) std::memcpy(high + i, &more, kBytes);
    }
  }

  __attribute__((always_inline)) static inline void Run(const Network& network, T* slots, int64_t pitch,
                                                        int64_t channels, int64_t count) {
    for (const Comparison& c : network.comparisons) {
      const T* a = slots + c.a * pitch + c.a_shift * channels;
      const T* b = slots + c.b * pitch + c.b_shift * channels;
      const int64_t made = count + c.extra * channels;
      if (c.high == Comparison::kNone) {
        Compare<true, false>(a, b, slots + c.low * pitch, nullptr, made);
      } else if (c.low == Comparison::kNone) {
        Compare<false, true>(a, b, nullptr, slots + c.high * pitch, made);
      } else {
        Compare<true, true>(a, b, slots + c.low * pitch, slots + c.high * pitch, made);
      }
    }
  }
};

#if defined(__x86_64__)
template <typename T>
__attribute__((target("avx2"))) void RunAvx2(const Network& network, T* slots, int64_t pitch, int64_t channels,
                                             int64_t count) {
  Wide<T, 32>::Run(network, slots, pitch, channels, count);
}
#endif

}  // namespace

Network MakeNetwork(int32_t rows, int32_t columns) {
  Network network;
  network.rows = rows;
  network.columns = columns;
  SortedLists lists;
  const Ref result = Median(lists, rows, columns);
  const std::vector<Pair>& pairs = lists.pairs();
  const std::vector<int32_t> needed = Needed(pairs, result);
  Slots slots(pairs, needed, rows);
  for (size_t i = 0; i < pairs.size(); ++i) {
    const int32_t extra = std::max(needed[2 * i], needed[2 * i + 1]), low = static_cast<int32_t>(2 * i);
    if (extra == kNotNeeded) continue;
    const Ref a = pairs[i].a, b = pairs[i].b;
    Comparison c = {slots.Of(a.value), a.shift, slots.Of(b.value), b.shift, Comparison::kNone,
                    Comparison::kNone, extra};
    slots.GiveBackIfLast(a.value, i);
    if (a.value != b.value) slots.GiveBackIfLast(b.value, i);
    if (needed[2 * i] != kNotNeeded) c.low = slots.Take(low);
    if (needed[2 * i + 1] != kNotNeeded) c.high = slots.Take(low + 1);
    network.comparisons.push_back(c);
  }
  network.slots = slots.count();
  network.result = slots.Of(result.value);
  return network;
}

template <typename T>
void RunNetwork(const Network& network, T* slots, int64_t pitch, int64_t channels, int64_t count) {
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2");
  if (has_avx2) return RunAvx2(network, slots, pitch, channels, count);
#endif
  Wide<T, 16>::Run(network, slots, pitch, channels, count);
}
template void RunNetwork(const Network&, float*, int64_t, int64_t, int64_t);
template void RunNetwork(const Network&, uint8_t*, int64_t, int64_t, int64_t);

}  // namespace median_pool
