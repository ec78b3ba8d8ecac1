// plugins/median_pool/sliding.h: medians of large windows: from one window to the next, a few columns leave and a few
// enter, and the counts of all values tell the median.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

#include "counts.h"
#include "window.h"

namespace median_pool {

// What stands for the values of some rows: keys in their order.
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

// The place of each value among all, once they are sorted. The last key is NaN's.
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

inline ByteKeys KeysOf(const uint8_t* rows, int64_t count) {
  return {rows, count};
}
inline FloatKeys KeysOf(const float* rows, int64_t count) {
  return {rows, count};
}

// One channel of a row of windows. `keys` are those of the channel from the first row of the windows on.
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
  const auto all = KeysOf(in + first * images.row_values(), (last - first) * images.row_values());
  for (int64_t y = begin; y < end; ++y) {
    const WindowRow<T> row = {images, y, in, out + y * images.output_row_values()};
    for (int64_t channel = 0; channel < images.channels; ++channel) {
      SlideAlong(row, all, all.keys() + (row.Begin() - first) * images.row_values() + channel, channel);
    }
  }
}

}  // namespace median_pool
