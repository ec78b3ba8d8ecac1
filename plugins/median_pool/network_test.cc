// plugins/median_pool/network_test.cc: networks of every shape, against sorting.
// SPDX-License-Identifier: Apache-2.0
#include "network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "plain.h"
#include "run_network.h"

namespace median_pool {
namespace {

// How many of `count` medians differ from those found by sorting.
template <typename T>
int Differences(int32_t rows, int32_t columns, int64_t channels, int64_t count) {
  const Network network = MakeNetwork(rows, columns);
  const int64_t filled = count + (columns - 1) * channels, pitch = filled + kOverrun;
  std::mt19937 random(1);
  std::vector<std::vector<T>> windows(static_cast<size_t>(count));
  std::vector<T> slots(static_cast<size_t>(network.slots * pitch));
  for (int32_t y = 0; y < rows; ++y) {
    for (int64_t i = 0; i < filled; ++i) slots[static_cast<size_t>(y * pitch + i)] = static_cast<T>(random() % 100);
  }
  for (int64_t i = 0; i < count; ++i) {
    for (int32_t y = 0; y < rows; ++y) {
      for (int32_t x = 0; x < columns; ++x) {
        windows[static_cast<size_t>(i)].push_back(slots[static_cast<size_t>(y * pitch + i + x * channels)]);
      }
    }
  }
  RunNetwork(network, slots.data(), pitch, channels, count);
  int differences = 0;
  for (int64_t i = 0; i < count; ++i) {
    differences += slots[static_cast<size_t>(network.result * pitch + i)] != MedianOf(windows[static_cast<size_t>(i)]);
  }
  return differences;
}

TEST(Network, FindsTheMedianOfWindowsOfEveryShape) {
  for (int32_t rows = 1; rows <= 10; ++rows) {
    for (int32_t columns = 1; columns <= 18; ++columns) {
      EXPECT_EQ(Differences<float>(rows, columns, 1, 50), 0) << rows << " x " << columns;
      EXPECT_EQ(Differences<uint8_t>(rows, columns, 3, 50), 0) << rows << " x " << columns;
    }
  }
}

TEST(Network, LeavesOutWhatNoMedianDependsOn) {
  EXPECT_EQ(MakeNetwork(1, 1).comparisons.size(), 0u);
  EXPECT_LE(MakeNetwork(3, 3).comparisons.size(), 15u);
  EXPECT_LE(MakeNetwork(5, 5).comparisons.size(), 57u);
}

}  // namespace
}  // namespace median_pool
