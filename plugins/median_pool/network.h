// plugins/median_pool/network.h: a median as a fixed list of comparisons, executed for many windows side by side.
//
// Neighboring windows share most of their columns: each column is sorted once, then each pair merged once, each four,
// each eight; a window of 9 columns needs the median of eight that are sorted together and a ninth. The list does not
// depend on the data, so a comparison is executed for a stretch of columns at once, with vector instructions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace median_pool {

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

}  // namespace median_pool
