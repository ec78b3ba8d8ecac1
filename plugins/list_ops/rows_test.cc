// plugins/list_ops/rows_test.cc: joining and cutting, compared with simple loops.
// SPDX-License-Identifier: Apache-2.0
#include "rows.h"

#include <gtest/gtest.h>

#include <tuple>

namespace list_ops {
namespace {

typedef std::vector<std::string> Parts;

Parts DistinctParts(const Rows& r) {
  Parts parts;
  for (int64_t part = 0; part < r.parts; ++part) {
    std::string bytes;
    for (int64_t i = 0; i < r.rows * r.row_bytes; ++i) {
      bytes += static_cast<char>((static_cast<uint64_t>(i + 7919 * part) * 2654435761u) >> 13);
    }
    parts.push_back(bytes);
  }
  return parts;
}

std::string JoinSlowly(const Rows& r, const Parts& parts) {
  std::string whole;
  for (int64_t row = 0; row < r.rows; ++row) {
    for (const std::string& part : parts) {
      whole += part.substr(static_cast<size_t>(row * r.row_bytes), static_cast<size_t>(r.row_bytes));
    }
  }
  return whole;
}

// Joins in ranges of `step` bytes.
std::string JoinQuickly(const Rows& r, const Parts& parts, int64_t step) {
  std::vector<const char*> pointers;
  for (const std::string& part : parts) pointers.push_back(part.data());
  std::string whole(static_cast<size_t>(r.bytes()), '?');
  for (int64_t at = 0; at < r.bytes(); at += step) {
    MoveRange<true>(r, whole.data(), pointers.data(), at, std::min(at + step, r.bytes()));
  }
  return whole;
}

Parts CutQuickly(const Rows& r, const std::string& whole, int64_t step) {
  Parts parts(static_cast<size_t>(r.parts), std::string(static_cast<size_t>(r.rows * r.row_bytes), '?'));
  std::vector<char*> pointers;
  for (std::string& part : parts) pointers.push_back(part.data());
  for (int64_t at = 0; at < r.bytes(); at += step) {
    MoveRange<false>(r, whole.data(), pointers.data(), at, std::min(at + step, r.bytes()));
  }
  return parts;
}

class JoinAndCut : public testing::TestWithParam<std::tuple<int, int, int>> {};

TEST_P(JoinAndCut, MoveEveryByteHoweverTheyAreCut) {
  const auto [count, parts_count, row_bytes] = GetParam();
  const Rows rows = {count, parts_count, row_bytes};
  const Parts parts = DistinctParts(rows);
  const std::string whole = JoinSlowly(rows, parts);
  for (int64_t step : {int64_t{1}, int64_t{64}, int64_t{1000}, rows.bytes()}) {
    EXPECT_EQ(JoinQuickly(rows, parts, step), whole) << step;
    EXPECT_EQ(CutQuickly(rows, whole, step), parts) << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, JoinAndCut,
                         testing::Combine(testing::Values(1, 2, 700), testing::Values(1, 3, 9),
                                          testing::Values(1, 2, 3, 4, 5, 8, 12, 16, 100)));

TEST(Join, TakesMorePartsThanABlockHoldsRowsOf) {
  const Rows rows = {3, 20000, 1};
  const Parts parts = DistinctParts(rows);
  EXPECT_EQ(JoinQuickly(rows, parts, rows.bytes()), JoinSlowly(rows, parts));
}

}  // namespace
}  // namespace list_ops
