// plugins/median_pool/medians_test.cc: medians by networks and by sliding, compared with a simple loop, on images of
// many kinds.
// SPDX-License-Identifier: Apache-2.0
#include "medians.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

namespace median_pool {
namespace {

struct Case {
  int64_t batch, height, width, channels;
  int64_t rows, columns, stride_y, stride_x;
  bool same;
};

Images ImagesOf(const Case& c) {
  return {c.batch, c.channels, MakeAxis(c.height, c.rows, c.stride_y, c.same),
          MakeAxis(c.width, c.columns, c.stride_x, c.same)};
}

template <typename T>
std::vector<T> Plainly(const Images& images, const std::vector<T>& in) {
  std::vector<T> out(static_cast<size_t>(images.output_rows() * images.output_row_values()));
  for (int64_t i = 0; i < images.output_rows(); ++i) {
    const int64_t image = i / images.y.windows;
    const WindowRow<T> row = {images, i % images.y.windows, in.data() + image * images.y.size * images.row_values(),
                              out.data() + i * images.output_row_values()};
    PlainRow(row, 0, images.x.windows);
  }
  return out;
}

// Computes in runs of `step` rows.
template <typename T>
std::vector<T> Fast(const Case& c, const std::vector<T>& in, int64_t largest_network, int64_t step) {
  const Images images = ImagesOf(c);
  const Medians medians(c.rows, c.columns, c.same, largest_network);
  std::vector<T> out(static_cast<size_t>(images.output_rows() * images.output_row_values()));
  for (int64_t i = 0; i < images.output_rows(); i += step) {
    medians.Compute(images, in.data(), out.data(), i, std::min(i + step, images.output_rows()));
  }
  return out;
}

// Few distinct values, so that many are equal; `nans` in a thousand are NaN.
template <typename T>
std::vector<T> RandomValues(const Case& c, uint32_t nans = 0) {
  std::mt19937 random(static_cast<uint32_t>(c.height * 31 + c.width));
  std::vector<T> values(static_cast<size_t>(c.batch * c.height * c.width * c.channels));
  for (T& value : values) {
    value = static_cast<T>(random() % 200);
    if (random() % 1000 < nans) value = std::numeric_limits<T>::quiet_NaN();
  }
  return values;
}

template <typename T>
int Differences(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return -1;
  int differences = 0;
  for (size_t i = 0; i < a.size(); ++i) differences += a[i] != b[i] && (a[i] == a[i] || b[i] == b[i]);
  return differences;
}

template <typename T>
void ExpectAllWaysAgree(const Case& c, uint32_t nans = 0) {
  const std::vector<T> in = RandomValues<T>(c, nans), expected = Plainly(ImagesOf(c), in);
  const std::string name = std::to_string(c.height) + " x " + std::to_string(c.width) + ", window " +
                           std::to_string(c.rows) + " x " + std::to_string(c.columns);
  for (int64_t largest_network : {0, 10000}) {
    EXPECT_EQ(Differences(Fast(c, in, largest_network, 1), expected), 0) << name << ", " << largest_network;
    EXPECT_EQ(Differences(Fast(c, in, largest_network, 7), expected), 0) << name << ", " << largest_network;
  }
}

TEST(Medians, AreThoseOfThePlainLoopForAllSizes) {
  for (int64_t height : {1, 2, 5, 12}) {
    for (int64_t width : {1, 3, 8, 40}) {
      for (int64_t rows : {1, 2, 3, 6}) {
        for (int64_t columns : {1, 3, 4, 9}) {
          ExpectAllWaysAgree<uint8_t>({1, height, width, 1, rows, columns, 1, 1, true});
          if (height >= rows && width >= columns) {
            ExpectAllWaysAgree<float>({1, height, width, 1, rows, columns, 1, 1, false});
          }
        }
      }
    }
  }
}

TEST(Medians, TakeStridesBatchesAndChannels) {
  for (bool same : {true, false}) {
    ExpectAllWaysAgree<float>({2, 9, 30, 3, 3, 3, 1, 1, same});
    ExpectAllWaysAgree<uint8_t>({3, 11, 30, 4, 4, 5, 2, 3, same});
    ExpectAllWaysAgree<float>({1, 20, 70, 1, 3, 3, 5, 7, same});
    ExpectAllWaysAgree<uint8_t>({1, 10, 6, 700, 3, 3, 1, 2, same});
  }
}

TEST(Medians, TakeRowsLongerThanAStretch) {
  ExpectAllWaysAgree<float>({1, 6, 3000, 1, 3, 3, 1, 1, true});
  ExpectAllWaysAgree<uint8_t>({1, 4, 5000, 1, 2, 5, 1, 3, true});
}

TEST(Medians, TakeLargeWindows) {
  ExpectAllWaysAgree<float>({1, 40, 50, 1, 31, 33, 1, 1, false});
  ExpectAllWaysAgree<uint8_t>({1, 40, 50, 1, 31, 33, 1, 1, true});
  ExpectAllWaysAgree<float>({1, 10, 12, 2, 64, 64, 1, 1, true});
}

TEST(Medians, AreNanWhereAWindowHasOne) {
  for (uint32_t nans : {2, 50, 1000}) {
    ExpectAllWaysAgree<float>({1, 30, 40, 1, 3, 5, 1, 1, true}, nans);
    ExpectAllWaysAgree<float>({2, 20, 40, 3, 4, 4, 2, 1, false}, nans);
  }
}

TEST(Medians, OrderInfinities) {
  const float inf = std::numeric_limits<float>::infinity();
  const Case c = {1, 1, 5, 1, 1, 3, 1, 1, false};
  for (int64_t largest_network : {0, 100}) {
    EXPECT_EQ(Fast<float>(c, {inf, -inf, 1, inf, inf}, largest_network, 1), (std::vector<float>{1, 1, inf}));
  }
}

TEST(Medians, AreTheLowerOnesOfTwo) {
  const Case c = {1, 2, 2, 1, 2, 2, 1, 1, true};
  EXPECT_EQ(Fast<uint8_t>(c, {10, 20, 30, 40}, 100, 1), (std::vector<uint8_t>{20, 20, 30, 40}));
}

TEST(Network, FindsTheMedianOfWindowsOfEveryShape) {
  for (int64_t rows = 1; rows <= 10; ++rows) {
    for (int64_t columns = 1; columns <= 18; ++columns) {
      ExpectAllWaysAgree<float>({1, rows, columns + 49, 1, rows, columns, 1, 1, false});
      ExpectAllWaysAgree<uint8_t>({1, rows, columns + 16, 3, rows, columns, 1, 1, false});
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
