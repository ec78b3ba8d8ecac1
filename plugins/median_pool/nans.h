// plugins/median_pool/nans.h: a window with a NaN has the median NaN, whatever the comparisons of a network made of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "window.h"

namespace median_pool {

// Does a NaN stand in these values?
inline bool HasNan(const float* values, int64_t count) {
  int32_t found = 0;
  for (int64_t i = 0; i < count; ++i) found |= static_cast<int32_t>(values[i] != values[i]);
  return found != 0;
}

// Sets the windows [begin, end) of the row to NaN that have one.
inline void SpreadNans(const WindowRow<float>& row, int64_t begin, int64_t end) {
  const Images& images = row.images;
  // How many NaNs stand in the rows of the windows before each value, in its channel.
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

inline bool HasNan(const uint8_t*, int64_t) {
  return false;
}
inline void SpreadNans(const WindowRow<uint8_t>&, int64_t, int64_t) {}

}  // namespace median_pool
