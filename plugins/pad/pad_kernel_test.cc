// plugins/pad/pad_kernel_test.cc: the loop against a slow one, whole and cut anywhere.
// SPDX-License-Identifier: Apache-2.0
#include "pad_kernel.h"

#include <gtest/gtest.h>

#include <thread>

#include "naive_pad.h"

namespace pad {
namespace {

// Pads piece by piece, the last one first, in front of a guard that nobody may write to. `cuts` are elements of the
// output, in order.
Bytes PadFast(const Axes& axes, const Bytes& input, const Bytes& element, const std::vector<int64_t>& cuts) {
  const int64_t size = static_cast<int64_t>(element.size());
  const Layout layout = MakeLayout(axes.data(), static_cast<int>(axes.size()), size);
  const Fill fill(element.data(), element.size());
  Bytes output(static_cast<size_t>(layout.output_bytes) + 64, '#');
  int64_t end = layout.output_bytes;
  for (auto cut = cuts.rbegin(); cut != cuts.rend(); ++cut) {
    PadBytes(layout, fill, input.data(), output.data(), *cut * size, end);
    end = *cut * size;
  }
  PadBytes(layout, fill, input.data(), output.data(), 0, end);
  EXPECT_EQ(Bytes(output.end() - 64, output.end()), Bytes(64, '#')) << "written past the end";
  output.resize(output.size() - 64);
  return output;
}

struct Arrays {
  Arrays(const Axes& axes, size_t element_size)
      : input(Distinct(InputSize(axes) * static_cast<int64_t>(element_size))),
        element(Distinct(static_cast<int64_t>(element_size))),
        padded(PadSlowly(axes, Border::kConstant, input, element)) {}
  Bytes input, element, padded;
};

void ExpectSame(const Axes& axes, size_t element_size, const std::vector<int64_t>& cuts) {
  const Arrays arrays(axes, element_size);
  ASSERT_EQ(PadFast(axes, arrays.input, arrays.element, cuts), arrays.padded)
      << "rank " << axes.size() << ", elements of " << element_size << " bytes";
}

void ExpectSameForEveryCut(const Axes& axes, size_t element_size) {
  const Arrays arrays(axes, element_size);
  for (int64_t cut = 0; cut <= OutputSize(axes); ++cut) {
    ASSERT_EQ(PadFast(axes, arrays.input, arrays.element, {cut}), arrays.padded)
        << "rank " << axes.size() << ", elements of " << element_size << " bytes, cut at " << cut;
  }
}

class PadOfRank : public testing::TestWithParam<int> {};

TEST_P(PadOfRank, AgreesWithTheSlowLoop) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  for (int round = 0; round < 40; ++round) {
    const Axes axes = RandomAxes(random, GetParam(), Border::kConstant);
    const int64_t n = OutputSize(axes);
    for (size_t element_size : {1, 2, 4, 8, 16}) ExpectSame(axes, element_size, {n / 7, n / 3, n / 2});
    if (HasFatalFailure()) return;
  }
}

TEST_P(PadOfRank, MayBeCutAnywhere) {
  std::mt19937 random(static_cast<unsigned>(100 + GetParam()));
  for (int round = 0; round < 40; ++round) {
    const Axes axes = RandomAxes(random, GetParam(), Border::kConstant);
    if (OutputSize(axes) <= 1000) ExpectSameForEveryCut(axes, size_t{1} << (round % 5));
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(All, PadOfRank, testing::Range(0, kMaxRank + 1));

TEST(PadBytes, MayRunOnSeveralThreadsAtOnce) {
  const Axes axes = {{30, 1, 2}, {41, 0, 3}, {7, 1, 1}};
  const Arrays arrays(axes, 2);
  const Layout layout = MakeLayout(axes.data(), 3, 2);
  const Fill fill(arrays.element.data(), 2);
  Bytes output(arrays.padded.size());
  std::vector<std::thread> threads;
  for (int64_t i = 0; i < 4; ++i) {
    const auto cut = [&](int64_t k) { return OutputSize(axes) * k / 4 * 2; };
    threads.emplace_back(
        [&, i, cut] { PadBytes(layout, fill, arrays.input.data(), output.data(), cut(i), cut(i + 1)); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(output, arrays.padded);
}

TEST(PadBytes, FillsTheOutputOfAnEmptyInput) {
  ExpectSameForEveryCut({{0, 2, 1}, {3, 0, 2}}, 4);
}

TEST(PadBytes, CopiesWhereThereIsNoBorder) {
  ExpectSameForEveryCut({{3, 0, 0}, {5, 0, 0}}, 2);
}

TEST(PadBytes, WritesNothingForAnEmptyOutput) {
  ExpectSame({{0, 0, 0}, {3, 1, 1}}, 8, {});
}

TEST(MakeLayout, MergesAxesWithoutBorderIntoTheirNeighbours) {
  const Axis axes[] = {{2, 0, 0}, {3, 0, 0}, {4, 1, 1}, {5, 0, 0}, {6, 0, 0}};
  const Layout layout = MakeLayout(axes, 5, 4);
  EXPECT_EQ(layout.outer_rank, 1);
  EXPECT_EQ(layout.num_runs, 2 * 3);
  EXPECT_EQ(layout.run_bytes, 4 * 5 * 6 * 4);
}

// Above 8 MiB whole cache lines are sent past the caches: odd borders and cuts, so that runs and parts begin in the
// middle of lines.
TEST(PadBytes, AgreesOnOutputsThatAreStreamed) {
  ExpectSame({{3, 1, 0}, {700, 1, 2}, {1021, 3, 2}}, 4, {});
  ExpectSame({{3, 1, 0}, {700, 1, 2}, {1021, 3, 2}}, 4, {1, 2, 17, 1000, 1027, 700001, 2100001});
  ExpectSame({{9, 0, 0}, {1000003, 1, 0}}, 1, {63, 64, 65, 1000004, 4096 * 1024 + 1});
}

}  // namespace
}  // namespace pad
