// plugins/pad/kernel_test.cc: the loop against a slow one, whole and cut anywhere.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <thread>
#include <tuple>

#include "border_test.h"
#include "mirror_kernel.h"
#include "pad_kernel.h"

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

MirrorLayout LayoutOf(const Axes& axes, Border border, size_t element_size) {
  const Edge edge = border == Border::kReflect ? Edge::kOnce : Edge::kRepeated;
  return MakeMirrorLayout(axes.data(), static_cast<int>(axes.size()), static_cast<int64_t>(element_size), edge);
}

// Mirrors piece by piece, the last one first, in front of a guard that nobody may write to. `cuts` are units of the
// output, in order.
Bytes MirrorFast(const MirrorLayout& layout, const Bytes& input, const std::vector<int64_t>& cuts) {
  Bytes output(static_cast<size_t>(layout.num_units * layout.unit_bytes) + 64, '#');
  int64_t end = layout.num_units;
  for (auto cut = cuts.rbegin(); cut != cuts.rend(); ++cut) {
    MirrorUnits(layout, input.data(), output.data(), *cut, end);
    end = *cut;
  }
  MirrorUnits(layout, input.data(), output.data(), 0, end);
  EXPECT_EQ(Bytes(output.end() - 64, output.end()), Bytes(64, '#')) << "written past the end";
  output.resize(output.size() - 64);
  return output;
}

struct MirroredArrays {
  MirroredArrays(const Axes& axes, Border border, size_t element_size)
      : input(Distinct(InputSize(axes) * static_cast<int64_t>(element_size))),
        padded(PadSlowly(axes, border, input, Bytes(element_size))) {}
  Bytes input, padded;
};

void ExpectSame(const Axes& axes, Border border, size_t element_size, int64_t parts) {
  const MirroredArrays arrays(axes, border, element_size);
  const MirrorLayout layout = LayoutOf(axes, border, element_size);
  std::vector<int64_t> cuts;
  for (int64_t i = 1; i < parts; ++i) cuts.push_back(layout.num_units * i / parts);
  ASSERT_EQ(MirrorFast(layout, arrays.input, cuts), arrays.padded)
      << "rank " << axes.size() << ", elements of " << element_size << " bytes";
}

void ExpectSameForEveryCut(const Axes& axes, Border border, size_t element_size) {
  const MirroredArrays arrays(axes, border, element_size);
  const MirrorLayout layout = LayoutOf(axes, border, element_size);
  for (int64_t cut = 0; cut <= layout.num_units; ++cut) {
    ASSERT_EQ(MirrorFast(layout, arrays.input, {cut}), arrays.padded)
        << "rank " << axes.size() << ", elements of " << element_size << " bytes, cut at " << cut;
  }
}

class MirrorOfRank : public testing::TestWithParam<std::tuple<int, Border>> {
 protected:
  int rank() const { return std::get<0>(GetParam()); }
  Border border() const { return std::get<1>(GetParam()); }
};

TEST_P(MirrorOfRank, AgreesWithTheSlowLoop) {
  std::mt19937 random(static_cast<unsigned>(rank()));
  for (int round = 0; round < 40; ++round) {
    const Axes axes = RandomAxes(random, rank(), border());
    for (size_t element_size : {1, 2, 4, 8, 16}) ExpectSame(axes, border(), element_size, 1 + round % 4);
    if (HasFatalFailure()) return;
  }
}

TEST_P(MirrorOfRank, MayBeCutAnywhere) {
  std::mt19937 random(static_cast<unsigned>(100 + rank()));
  for (int round = 0; round < 40; ++round) {
    const Axes axes = RandomAxes(random, rank(), border());
    if (OutputSize(axes) <= 1000) ExpectSameForEveryCut(axes, border(), size_t{1} << (round % 5));
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(All, MirrorOfRank,
                         testing::Combine(testing::Range(0, kMaxRank + 1),
                                          testing::Values(Border::kReflect, Border::kSymmetric)));

// Units of every way to turn them around, more of them than are turned at once.
TEST(MirrorUnits, TurnsUnitsOfAnyLengthAround) {
  for (const int64_t channels : {1, 2, 3, 4, 5, 8, 12, 16, 100, 300, 2000}) {
    ExpectSame({{2, 1, 1}, {700, 650, 650}, {channels, 0, 0}}, Border::kReflect, 1, 3);
    ExpectSame({{700, 1, 700}, {channels, 0, 0}}, Border::kSymmetric, 1, 3);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(MirrorUnits, MayRunOnSeveralThreadsAtOnce) {
  const Axes axes = {{30, 1, 2}, {41, 0, 3}, {7, 7, 1}};
  const MirroredArrays arrays(axes, Border::kSymmetric, 2);
  const MirrorLayout layout = LayoutOf(axes, Border::kSymmetric, 2);
  Bytes output(arrays.padded.size());
  std::vector<std::thread> threads;
  for (int64_t i = 0; i < 4; ++i) {
    const auto cut = [&](int64_t k) { return layout.num_units * k / 4; };
    threads.emplace_back([&, i, cut] { MirrorUnits(layout, arrays.input.data(), output.data(), cut(i), cut(i + 1)); });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(output, arrays.padded);
}

TEST(MirrorUnits, WritesNothingForAnEmptyOutput) {
  ExpectSame({{0, 0, 0}, {3, 1, 1}}, Border::kSymmetric, 8, 1);
}

TEST(MirrorUnits, AgreesOnOutputsThatAreStreamed) {
  for (const int64_t parts : {1, 3, 7, 1000}) {
    ExpectSame({{3, 1, 0}, {700, 1, 2}, {1021, 3, 2}}, Border::kReflect, 4, parts);
    ExpectSame({{4, 1, 1}, {100, 1, 2}, {5003, 0, 0}}, Border::kSymmetric, 4, parts);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(MakeMirrorLayout, MergesAxesWithoutBorder) {
  const Axis axes[] = {{2, 0, 0}, {3, 0, 0}, {4, 1, 1}, {1, 0, 0}, {5, 0, 0}, {6, 0, 0}};
  const MirrorLayout layout = MakeMirrorLayout(axes, 6, 4, Edge::kOnce);
  EXPECT_EQ(layout.rank, 2);
  EXPECT_EQ(layout.unit_bytes, 5 * 6 * 4);
  EXPECT_EQ(layout.num_units, 2 * 3 * 6);
}

}  // namespace

}  // namespace pad
