// plugins/pad/kernel_test.cc: the loops of Pad and MirrorPad compared with a slow one, whole and split anywhere.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <functional>
#include <thread>
#include <tuple>

#include "border_test.h"
#include "mirror_kernel.h"
#include "pad_kernel.h"

namespace pad {
namespace {

// One input, its expected padding, and the loop under test. Its units are elements of Pad, and mirrored units of
// MirrorPad.
class Padding {
 public:
  Padding(const Axes& axes, Border border, size_t element_size)
      : input_(Distinct(InputSize(axes) * static_cast<int64_t>(element_size))),
        element_(Distinct(static_cast<int64_t>(element_size))),
        fill_(element_.data(), element_size),
        expected_(PadSlowly(axes, border, input_, element_)),
        name_("rank " + std::to_string(axes.size()) + ", elements of " + std::to_string(element_size) + " bytes") {
    const int rank = static_cast<int>(axes.size());
    if (border == Border::kConstant) {
      const Layout layout = MakeLayout(axes.data(), rank, unit_bytes_ = static_cast<int64_t>(element_size));
      units_ = layout.output_bytes / unit_bytes_;
      write_ = [this, layout](char* output, int64_t begin, int64_t end) {
        PadBytes(layout, fill_, input_.data(), output, begin * unit_bytes_, end * unit_bytes_);
      };
    } else {
      const Edge edge = border == Border::kReflect ? Edge::kOnce : Edge::kRepeated;
      const MirrorLayout layout = MakeMirrorLayout(axes.data(), rank, static_cast<int64_t>(element_size), edge);
      units_ = layout.num_units;
      unit_bytes_ = layout.unit_bytes;
      write_ = [this, layout](char* output, int64_t begin, int64_t end) {
        MirrorUnits(layout, input_.data(), output, begin, end);
      };
    }
  }
  Padding(const Padding&) = delete;

  // Writes piece by piece, the last one first, before a guard that must stay unchanged. `cuts` are in units, sorted.
  void ExpectSame(const std::vector<int64_t>& cuts) const {
    Bytes output(static_cast<size_t>(units_ * unit_bytes_) + 64, '#');
    int64_t end = units_;
    for (auto cut = cuts.rbegin(); cut != cuts.rend(); ++cut) {
      write_(output.data(), *cut, end);
      end = *cut;
    }
    write_(output.data(), 0, end);
    EXPECT_EQ(Bytes(output.end() - 64, output.end()), Bytes(64, '#')) << "written past the end";
    output.resize(output.size() - 64);
    ASSERT_EQ(output, expected_) << name_ << ", cut at " << testing::PrintToString(cuts);
  }
  void ExpectSameInParts(int64_t parts) const {
    std::vector<int64_t> cuts;
    for (int64_t i = 1; i < parts; ++i) cuts.push_back(units_ * i / parts);
    ExpectSame(cuts);
  }
  void ExpectSameForEveryCut() const {
    for (int64_t cut = 0; cut <= units_ && !testing::Test::HasFatalFailure(); ++cut) ExpectSame({cut});
  }
  void ExpectSameOnFourThreads() const {
    Bytes output(expected_.size());
    std::vector<std::thread> threads;
    for (int64_t i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] { write_(output.data(), units_ * i / 4, units_ * (i + 1) / 4); });
    }
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(output, expected_);
  }

 private:
  const Bytes input_, element_;
  const Fill fill_;
  const Bytes expected_;
  const std::string name_;
  int64_t units_ = 0, unit_bytes_ = 0;
  std::function<void(char* output, int64_t begin, int64_t end)> write_;
};

class PaddingOfRank : public testing::TestWithParam<std::tuple<int, Border>> {
 protected:
  int rank() const { return std::get<0>(GetParam()); }
  Border border() const { return std::get<1>(GetParam()); }
};

TEST_P(PaddingOfRank, AgreesWithTheSlowLoop) {
  std::mt19937 random(static_cast<unsigned>(rank()));
  for (int round = 0; round < 40 && !HasFatalFailure(); ++round) {
    const Axes axes = RandomAxes(random, rank(), border());
    for (size_t size : {1, 2, 4, 8, 16}) Padding(axes, border(), size).ExpectSameInParts(1 + round % 4);
  }
}

TEST_P(PaddingOfRank, MayBeCutAnywhere) {
  std::mt19937 random(static_cast<unsigned>(100 + rank()));
  for (int round = 0; round < 40 && !HasFatalFailure(); ++round) {
    const Axes axes = RandomAxes(random, rank(), border());
    if (OutputSize(axes) <= 1000) Padding(axes, border(), size_t{1} << (round % 5)).ExpectSameForEveryCut();
  }
}

INSTANTIATE_TEST_SUITE_P(All, PaddingOfRank,
                         testing::Combine(testing::Range(0, kMaxRank + 1),
                                          testing::Values(Border::kConstant, Border::kReflect, Border::kSymmetric)));

TEST(Padding, MayRunOnSeveralThreadsAtOnce) {
  Padding({{30, 1, 2}, {41, 0, 3}, {7, 1, 1}}, Border::kConstant, 2).ExpectSameOnFourThreads();
  Padding({{30, 1, 2}, {41, 0, 3}, {7, 7, 1}}, Border::kSymmetric, 2).ExpectSameOnFourThreads();
}

TEST(Padding, TakesEmptyInputsAndOutputsAndNoBorder) {
  Padding({{0, 2, 1}, {3, 0, 2}}, Border::kConstant, 4).ExpectSameForEveryCut();
  Padding({{3, 0, 0}, {5, 0, 0}}, Border::kConstant, 2).ExpectSameForEveryCut();
  Padding({{0, 0, 0}, {3, 1, 1}}, Border::kConstant, 8).ExpectSame({});
  Padding({{0, 0, 0}, {3, 1, 1}}, Border::kSymmetric, 8).ExpectSame({});
}

// Outputs above 8 MiB are written with streaming stores, in whole cache lines: odd borders and cuts make runs and parts
// begin in the middle of lines.
TEST(Padding, AgreesOnOutputsThatAreStreamed) {
  const Padding rows({{3, 1, 0}, {700, 1, 2}, {1021, 3, 2}}, Border::kConstant, 4);
  rows.ExpectSame({});
  rows.ExpectSame({1, 2, 17, 1000, 1027, 700001, 2100001});
  Padding({{9, 0, 0}, {1000003, 1, 0}}, Border::kConstant, 1).ExpectSame({63, 64, 65, 1000004, 4096 * 1024 + 1});
  const Padding reflected({{3, 1, 0}, {700, 1, 2}, {1021, 3, 2}}, Border::kReflect, 4);
  const Padding symmetric({{4, 1, 1}, {100, 1, 2}, {5003, 0, 0}}, Border::kSymmetric, 4);
  for (const int64_t parts : {1, 3, 7, 1000}) {
    reflected.ExpectSameInParts(parts);
    symmetric.ExpectSameInParts(parts);
  }
}

// Units for every code path that reverses them, more of them than one step handles.
TEST(Padding, TurnsUnitsOfAnyLengthAround) {
  for (const int64_t channels : {1, 2, 3, 4, 5, 8, 12, 16, 100, 300, 2000}) {
    Padding({{2, 1, 1}, {700, 650, 650}, {channels, 0, 0}}, Border::kReflect, 1).ExpectSameInParts(3);
    Padding({{700, 1, 700}, {channels, 0, 0}}, Border::kSymmetric, 1).ExpectSameInParts(3);
  }
}

TEST(MakeLayout, MergesAxesWithoutBorderIntoTheirNeighbours) {
  const Axis axes[] = {{2, 0, 0}, {3, 0, 0}, {4, 1, 1}, {5, 0, 0}, {6, 0, 0}};
  const Layout layout = MakeLayout(axes, 5, 4);
  EXPECT_EQ(layout.outer_rank, 1);
  EXPECT_EQ(layout.num_runs, 2 * 3);
  EXPECT_EQ(layout.run_bytes, 4 * 5 * 6 * 4);
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
