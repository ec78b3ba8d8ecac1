// plugins/median_pool/network.cc
// SPDX-License-Identifier: Apache-2.0
#include "network.h"

#include <cstring>

#include "medians.h"

namespace median_pool {
namespace {

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

// Assigns a slot to each value, from the comparison that computes it to the last one that reads it.
class Slots {
 public:
  Slots(int32_t rows, size_t values) : of_value_(values, kNotNeeded), count_(rows) {}

  int32_t Of(int32_t value) const { return value < 0 ? ~value : of_value_[static_cast<size_t>(value)]; }
  int32_t Take(int32_t value) {
    if (free_.empty()) free_.push_back(count_++);
    const int32_t slot = free_.back();
    free_.pop_back();
    return of_value_[static_cast<size_t>(value)] = slot;
  }
  void GiveBack(int32_t value) { free_.push_back(Of(value)); }
  int32_t count() const { return count_; }

 private:
  std::vector<int32_t> of_value_, free_;
  int32_t count_;
};

// The index of the last pair that reads each value, rows of the window first.
class LastReaders {
 public:
  LastReaders(const std::vector<Pair>& pairs, const std::vector<int32_t>& needed, int32_t rows)
      : rows_(rows), last_(static_cast<size_t>(rows) + needed.size(), 0) {
    for (size_t i = 0; i < pairs.size(); ++i) {
      if (std::max(needed[2 * i], needed[2 * i + 1]) == kNotNeeded) continue;
      last_[Place(pairs[i].a.value)] = last_[Place(pairs[i].b.value)] = i;
    }
  }
  bool IsLast(int32_t value, size_t i) const { return last_[Place(value)] == i; }

 private:
  size_t Place(int32_t value) const { return static_cast<size_t>(value < 0 ? ~value : rows_ + value); }

  int32_t rows_;
  std::vector<size_t> last_;
};

}  // namespace

Network MakeNetwork(int32_t rows, int32_t columns) {
  Network network;
  network.rows = rows;
  network.columns = columns;
  SortedLists lists;
  const Ref result = Median(lists, rows, columns);
  const std::vector<Pair>& pairs = lists.pairs();
  const std::vector<int32_t> needed = Needed(pairs, result);
  const LastReaders readers(pairs, needed, rows);
  Slots slots(rows, needed.size());
  for (size_t i = 0; i < pairs.size(); ++i) {
    const int32_t extra = std::max(needed[2 * i], needed[2 * i + 1]), low = static_cast<int32_t>(2 * i);
    if (extra == kNotNeeded) continue;
    const Ref a = pairs[i].a, b = pairs[i].b;
    Comparison c = {slots.Of(a.value), a.shift, slots.Of(b.value), b.shift, Comparison::kNone,
                    Comparison::kNone, extra};
    if (readers.IsLast(a.value, i)) slots.GiveBack(a.value);
    if (a.value != b.value && readers.IsLast(b.value, i)) slots.GiveBack(b.value);
    if (needed[2 * i] != kNotNeeded) c.low = slots.Take(low);
    if (needed[2 * i + 1] != kNotNeeded) c.high = slots.Take(low + 1);
    network.comparisons.push_back(c);
  }
  network.slots = slots.count();
  network.result = slots.Of(result.value);
  return network;
}

namespace {

// An operand in the slot of a result may be further right, but not further left, so it is read before it is
// overwritten.
template <typename T, int kBytes>
struct Wide {
  typedef T Vector __attribute__((vector_size(kBytes)));
  static constexpr int64_t kLanes = kBytes / static_cast<int64_t>(sizeof(T));

  __attribute__((always_inline)) static inline void Both(const T* a, const T* b, T* low, T* high, int64_t count) {
    for (int64_t i = 0; i < count; i += kLanes) {
      Vector x, y;
      std::memcpy(&x, a + i, kBytes);
      std::memcpy(&y, b + i, kBytes);
      const Vector less = x < y ? x : y, more = x > y ? x : y;
      std::memcpy(low + i, &less, kBytes);
      std::memcpy(high + i, &more, kBytes);
    }
  }
  __attribute__((always_inline)) static inline void Low(const T* a, const T* b, T* low, int64_t count) {
    for (int64_t i = 0; i < count; i += kLanes) {
      Vector x, y;
      std::memcpy(&x, a + i, kBytes);
      std::memcpy(&y, b + i, kBytes);
      const Vector less = x < y ? x : y;
      std::memcpy(low + i, &less, kBytes);
    }
  }
  __attribute__((always_inline)) static inline void High(const T* a, const T* b, T* high, int64_t count) {
    for (int64_t i = 0; i < count; i += kLanes) {
      Vector x, y;
      std::memcpy(&x, a + i, kBytes);
      std::memcpy(&y, b + i, kBytes);
      const Vector more = x > y ? x : y;
      std::memcpy(high + i, &more, kBytes);
    }
  }

  __attribute__((always_inline)) static inline void Run(const Network& network, T* slots, int64_t pitch,
                                                        int64_t channels, int64_t count) {
    for (const Comparison& c : network.comparisons) {
      const T* a = slots + c.a * pitch + c.a_shift * channels;
      const T* b = slots + c.b * pitch + c.b_shift * channels;
      const int64_t made = count + c.extra * channels;
      if (c.high == Comparison::kNone) {
        Low(a, b, slots + c.low * pitch, made);
      } else if (c.low == Comparison::kNone) {
        High(a, b, slots + c.high * pitch, made);
      } else {
        Both(a, b, slots + c.low * pitch, slots + c.high * pitch, made);
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
bool HasAvx2() {
  return __builtin_cpu_supports("avx2");
}
#else
template <typename T>
void RunAvx2(const Network&, T*, int64_t, int64_t, int64_t) {}
bool HasAvx2() {
  return false;
}
#endif

template <typename T>
void RunWidest(const Network& network, T* slots, int64_t pitch, int64_t channels, int64_t count) {
  static const bool has_avx2 = HasAvx2();
  if (has_avx2) return RunAvx2(network, slots, pitch, channels, count);
  Wide<T, 16>::Run(network, slots, pitch, channels, count);
}

}  // namespace

void RunNetwork(const Network& network, float* slots, int64_t pitch, int64_t channels, int64_t count) {
  RunWidest(network, slots, pitch, channels, count);
}

void RunNetwork(const Network& network, uint8_t* slots, int64_t pitch, int64_t channels, int64_t count) {
  RunWidest(network, slots, pitch, channels, count);
}

}  // namespace median_pool
