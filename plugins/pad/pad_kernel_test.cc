// The loop against a slow one that is written the obvious way: which element of the output comes from where.
// SPDX-License-Identifier: Apache-2.0
#include "pad_kernel.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>
#include <vector>

namespace pad {
namespace {

using Bytes = std::vector<char>;

int64_t Padded(const Axis& axis) {
  return axis.before + axis.size + axis.after;
}

int64_t InputSize(const std::vector<Axis>& axes) {
  return std::accumulate(axes.begin(), axes.end(), int64_t{1}, [](int64_t n, const Axis& a) { return n * a.size; });
}

int64_t OutputSize(const std::vector<Axis>& axes) {
  return std::accumulate(axes.begin(), axes.end(), int64_t{1}, [](int64_t n, const Axis& a) { return n * Padded(a); });
}

// The index in the input of element `at` of the output, or -1 on the border.
int64_t Source(const std::vector<Axis>& axes, int64_t at) {
  int64_t source = 0, stride = 1;
  for (size_t k = axes.size(); k-- > 0; at /= Padded(axes[k]), stride *= axes[k].size) {
    const int64_t i = at % Padded(axes[k]) - axes[k].before;
    if (i < 0 || i >= axes[k].size) return -1;
    source += i * stride;
  }
  return source;
}

Bytes PadSlowly(const std::vector<Axis>& axes, const Bytes& input, const Bytes& element) {
  const int64_t n = static_cast<int64_t>(element.size());
  Bytes output(static_cast<size_t>(OutputSize(axes) * n));
  for (int64_t at = 0; at < OutputSize(axes); ++at) {
    const int64_t source = Source(axes, at);
    const char* from = source < 0 ? element.data() : input.data() + source * n;
    std::memcpy(output.data() + at * n, from, element.size());
  }
  return output;
}

Bytes Distinct(int64_t bytes) {
  Bytes data(static_cast<size_t>(bytes));
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<char>((i * 2654435761u) >> 13);
  return data;
}

// Pads in `parts` calls, in front of a guard that nobody may write to.
Bytes PadFast(const std::vector<Axis>& axes, const Bytes& input, const Bytes& element, int64_t parts) {
  const Layout layout = MakeLayout(axes.data(), static_cast<int>(axes.size()), static_cast<int64_t>(element.size()));
  const Fill fill(element.data(), element.size());
  Bytes output(static_cast<size_t>(layout.output_bytes) + 64, '#');
  const int64_t step = (layout.num_runs + parts - 1) / parts;
  for (int64_t begin = 0; begin < layout.num_runs; begin += step) {
    PadRuns(layout, fill, input.data(), output.data(), begin, std::min(begin + step, layout.num_runs));
  }
  EXPECT_EQ(Bytes(output.end() - 64, output.end()), Bytes(64, '#')) << "written past the end";
  output.resize(output.size() - 64);
  return output;
}

void ExpectSame(const std::vector<Axis>& axes, size_t element_size, int64_t parts) {
  const Bytes input = Distinct(InputSize(axes) * static_cast<int64_t>(element_size));
  const Bytes element = Distinct(static_cast<int64_t>(element_size));
  ASSERT_EQ(PadFast(axes, input, element, parts), PadSlowly(axes, input, element))
      << "rank " << axes.size() << ", elements of " << element_size << " bytes, " << parts << " parts";
}

// Small sizes, with zeros and axes without border among them.
std::vector<Axis> RandomAxes(std::mt19937& random, int rank) {
  const auto below = [&](int n) { return static_cast<int64_t>(random() % static_cast<unsigned>(n)); };
  std::vector<Axis> axes(static_cast<size_t>(rank));
  for (Axis& axis : axes) {
    axis.size = below(20) == 0 ? 0 : 1 + below(rank > 5 ? 2 : 4);
    if (below(2) == 0) continue;
    axis.before = below(3);
    axis.after = below(rank > 5 ? 2 : 4);
  }
  return axes;
}

class PadOfRank : public testing::TestWithParam<int> {};

TEST_P(PadOfRank, AgreesWithTheSlowLoop) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  for (int round = 0; round < 40; ++round) {
    const std::vector<Axis> axes = RandomAxes(random, GetParam());
    for (size_t element_size : {1, 2, 4, 8, 16}) ExpectSame(axes, element_size, 1 + round % 3);
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(All, PadOfRank, testing::Range(0, kMaxRank + 1));

TEST(PadRuns, FillsTheOutputOfAnEmptyInput) {
  ExpectSame({{0, 2, 1}, {3, 0, 2}}, 4, 1);
}

TEST(PadRuns, CopiesWhereThereIsNoBorder) {
  ExpectSame({{3, 0, 0}, {5, 0, 0}}, 2, 2);
}

TEST(PadRuns, WritesNothingForAnEmptyOutput) {
  ExpectSame({{0, 0, 0}, {3, 1, 1}}, 8, 1);
}

TEST(MakeLayout, MergesAxesWithoutBorderIntoTheirNeighbours) {
  const Axis axes[] = {{2, 0, 0}, {3, 0, 0}, {4, 1, 1}, {5, 0, 0}, {6, 0, 0}};
  const Layout layout = MakeLayout(axes, 5, 4);
  EXPECT_EQ(layout.outer_rank, 1);
  EXPECT_EQ(layout.num_runs, 2 * 3);
  EXPECT_EQ(layout.run_bytes, 4 * 5 * 6 * 4);
}

// Above 8 MiB whole cache lines are sent past the caches: odd borders, so that runs and parts begin in the middle of
// lines.
TEST(PadRuns, AgreesOnOutputsThatAreStreamed) {
  ExpectSame({{3, 1, 0}, {700, 1, 2}, {1021, 3, 2}}, 4, 1);
  ExpectSame({{3, 1, 0}, {700, 1, 2}, {1021, 3, 2}}, 4, 7);
  ExpectSame({{9, 0, 0}, {1000003, 1, 0}}, 1, 4);
}

}  // namespace
}  // namespace pad
