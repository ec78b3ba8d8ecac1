// plugins/median_pool/medians.h: the medians of all windows of some images, with the fastest method for their size.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iterator>
#include <limits>
#include <type_traits>
#include <vector>

#include "window.h"

namespace median_pool {

// A median as a fixed list of comparisons, executed for many windows side by side.
//
// Neighboring windows share most of their columns: each column is sorted once, then each pair merged once, each four,
// each eight; a window of 9 columns needs the median of eight that are sorted together and a ninth. The list does not
// depend on the data, so a comparison is executed for a stretch of columns at once, with vector instructions.

// For each column x: low[x] = min(a[x + a_shift], b[x + b_shift]), high[x] the max, where not kNone. All four are
// slots, each a stretch of values, which may be the same.
struct Comparison {
  static constexpr int32_t kNone = -1;
  int32_t a, a_shift, b, b_shift;
  int32_t low, high;
  int32_t extra;  // how many columns beyond those of the results it computes
};

// Before the first comparison, slot i holds row i of the windows; after the last one, slot `result` holds at x the
// median of the window whose first column is x: the lower one of two.
struct Network {
  int32_t rows = 0, columns = 0;
  int32_t slots = 0, result = 0;
  std::vector<Comparison> comparisons;
};

// Requires: rows, columns >= 1.
Network MakeNetwork(int32_t rows, int32_t columns);

// Whole vectors may access this many values beyond the requested ones.
inline constexpr int64_t kOverrun = 32;

// Runs the network for `count` values, of columns that are `channels` apart. Slot i begins at slots + i * pitch.
// Requires: pitch >= count + (network.columns - 1) * channels + kOverrun. NaNs give any result. T: float or uint8_t.
template <typename T>
void RunNetwork(const Network& network, T* slots, int64_t pitch, int64_t channels, int64_t count);

// The medians of all windows.

class Medians {
 public:
  // For windows of this size; cut: windows at the edges may have fewer rows.
  Medians(int64_t rows, int64_t columns, bool cut, int64_t largest_network);

  // Rows of windows share work in groups of this many, so computing multiples of it is fastest.
  int64_t rows_at_once() const { return rows_at_once_; }

  // Writes the rows [begin, end) of the output, of all images. Thread-safe for disjoint ranges. T: float or uint8_t.
  template <typename T>
  void Compute(const Images& images, const T* in, T* out, int64_t begin, int64_t end) const;

  // Up to this number of values per window, a network is faster than sliding: measured with bench/median_bench.cc.
  static constexpr int64_t kLargestFloatNetwork = 21 * 21;
  static constexpr int64_t kLargestByteNetwork = 13 * 13;

 private:
  int64_t rows_at_once_ = 1;
  std::vector<Network> networks_;  // for windows of 1, 2, ... rows, some left empty; empty if networks are too large
};

// A multiset of keys: counts each key, and finds the key at a position in sorted order.

// Counts are kept per key, per group of 2^kBits keys, and per group of groups, so that a search skips most keys.
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

  // The key at `place` in sorted order, from 0. Requires: more than `place` keys were added.
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

// The median of a window with a NaN is NaN; networks do not handle NaNs.

inline bool HasNan(const float* values, int64_t count) {
  int32_t found = 0;
  for (int64_t i = 0; i < count; ++i) found |= static_cast<int32_t>(values[i] != values[i]);
  return found != 0;
}

// Sets the windows [begin, end) of the row that contain a NaN to NaN.
inline void SpreadNans(const WindowRow<float>& row, int64_t begin, int64_t end) {
  const Images& images = row.images;
  // The number of NaNs before each value, in the rows of the windows and its channel.
  const size_t channels = static_cast<size_t>(images.channels);
  std::vector<int64_t> before(static_cast<size_t>(images.row_values()) + channels, 0);
  for (int64_t y = row.Begin(); y < row.End(); ++y) {
    const float* values = row.InputRow(y);
    for (size_t i = channels; i < before.size(); ++i) before[i] += values[i - channels] != values[i - channels];
  }
  for (size_t i = channels; i < before.size(); ++i) before[i] += before[i - channels];
  for (int64_t x = begin; x < end; ++x) {
    for (int64_t c = 0; c < images.channels; ++c) {
      const auto place = [&](int64_t column) { return static_cast<size_t>(column * images.channels + c); };
      if (before[place(images.x.End(x))] == before[place(images.x.Begin(x))]) continue;
      row.out[x * images.channels + c] = std::numeric_limits<float>::quiet_NaN();
    }
  }
}

// Medians of large windows: from one to the next, few columns change, and the counts of all values give the median.

// Keys for the values of some rows, in the same order as the values.
class ByteKeys {
 public:
  typedef Counts<4> KeyCounts;
  ByteKeys(const uint8_t* rows, int64_t /*count*/) : rows_(rows) {}

  size_t size() const { return 256; }
  const uint8_t* keys() const { return rows_; }
  uint8_t Value(const KeyCounts& counts, int32_t place) const { return static_cast<uint8_t>(counts.At(place)); }

 private:
  const uint8_t* rows_;
};

// Keys are the positions of the values in sorted order. The last key is for NaN.
class FloatKeys {
 public:
  typedef Counts<6> KeyCounts;
  FloatKeys(const float* rows, int64_t count) {
    std::copy_if(rows, rows + count, std::back_inserter(sorted_), [](float value) { return value == value; });
    std::sort(sorted_.begin(), sorted_.end());
    sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
    for (int64_t i = 0; i < count; ++i) keys_.push_back(KeyOf(rows[i]));
  }

  size_t size() const { return sorted_.size() + 1; }
  const uint32_t* keys() const { return keys_.data(); }
  float Value(const KeyCounts& counts, int32_t place) const {
    if (counts.Of(sorted_.size()) > 0) return std::numeric_limits<float>::quiet_NaN();
    return sorted_[counts.At(place)];
  }

 private:
  uint32_t KeyOf(float value) const {
    const auto at = value != value ? sorted_.end() : std::lower_bound(sorted_.begin(), sorted_.end(), value);
    return static_cast<uint32_t>(at - sorted_.begin());
  }

  std::vector<float> sorted_;
  std::vector<uint32_t> keys_;
};

template <typename T>
using KeysOf = std::conditional_t<std::is_same_v<T, float>, FloatKeys, ByteKeys>;

// One channel of a row of windows. `keys` are those of the channel, starting at the first row of the windows.
template <typename T, typename Keys, typename Key>
void SlideAlong(const WindowRow<T>& row, const Keys& all, const Key* keys, int64_t channel) {
  const Images& images = row.images;
  const int64_t rows = row.End() - row.Begin();
  typename Keys::KeyCounts counts(all.size());
  const auto add = [&](int64_t column, int32_t by) {
    const Key* key = keys + column * images.channels;
    for (int64_t y = 0; y < rows; ++y) counts.Add(key[y * images.row_values()], by);
  };
  int64_t left = 0, right = 0;
  for (int64_t x = 0; x < images.x.windows; ++x) {
    const int64_t begin = images.x.Begin(x), end = images.x.End(x);
    for (; left < std::min(begin, right); ++left) add(left, -1);
    left = begin;
    for (right = std::max(left, right); right < end; ++right) add(right, 1);
    const auto place = static_cast<int32_t>((rows * (end - begin) - 1) / 2);
    row.out[x * images.channels + channel] = all.Value(counts, place);
  }
}

// The rows of windows [begin, end) of one image.
template <typename T>
void SlideRows(const Images& images, const T* in, T* out, int64_t begin, int64_t end) {
  const int64_t first = images.y.Begin(begin), last = images.y.End(end - 1);
  const KeysOf<T> all(in + first * images.row_values(), (last - first) * images.row_values());
  for (int64_t y = begin; y < end; ++y) {
    const WindowRow<T> row = {images, y, in, out + y * images.output_row_values()};
    for (int64_t channel = 0; channel < images.channels; ++channel) {
      SlideAlong(row, all, all.keys() + (row.Begin() - first) * images.row_values() + channel, channel);
    }
  }
}

}  // namespace median_pool
