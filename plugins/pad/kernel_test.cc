// plugins/pad/kernel_test.cc: the loops of Pad and MirrorPad compared with a slow one, whole and split anywhere.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numeric>
#include <random>
#include <tuple>

#include "border_kernel.h"

namespace pad {
namespace {

// Padding by a simple loop that finds the source of each element of the output.

using Bytes = std::vector<char>;
using Axes = std::vector<Axis>;

int64_t InputSize(const Axes& axes) {
  return std::accumulate(axes.begin(), axes.end(), int64_t{1}, [](int64_t n, const Axis& a) { return n * a.size; });
}

int64_t OutputSize(const Axes& axes) {
  return std::accumulate(axes.begin(), axes.end(), int64_t{1}, [](int64_t n, const Axis& a) { return n * a.padded(); });
}

// The index in the input that each index of the output shows, or -1.
std::vector<int64_t> Shown(const Axis& axis, Border border) {
  const int64_t skipped = border == Border::kReflect ? 1 : 0;
  std::vector<int64_t> shown(static_cast<size_t>(axis.size));
  std::iota(shown.begin(), shown.end(), 0);
  for (int64_t i = 0; i < axis.before; ++i) {
    shown.insert(shown.begin(), border == Border::kConstant ? -1 : i + skipped);
  }
  for (int64_t i = 0; i < axis.after; ++i) {
    shown.push_back(border == Border::kConstant ? -1 : axis.size - 1 - skipped - i);
  }
  return shown;
}

// `element` is the element of a constant border; its size is the element size.
Bytes PadSlowly(const Axes& axes, Border border, const Bytes& input, const Bytes& element) {
  std::vector<int64_t> sources = {0};
  for (const Axis& axis : axes) {
    std::vector<int64_t> inner;
    const std::vector<int64_t> shown = Shown(axis, border);
    for (const int64_t outer : sources) {
      for (const int64_t i : shown) inner.push_back(outer < 0 || i < 0 ? -1 : outer * axis.size + i);
    }
    sources.swap(inner);
  }
  Bytes output(sources.size() * element.size());
  for (size_t at = 0; at < sources.size(); ++at) {
    const char* from =
        sources[at] < 0 ? element.data() : input.data() + static_cast<size_t>(sources[at]) * element.size();
    std::memcpy(output.data() + at * element.size(), from, element.size());
  }
  return output;
}

Bytes Distinct(int64_t bytes) {
  Bytes data(static_cast<size_t>(bytes));
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<char>((i * 2654435761u) >> 13);
  return data;
}

// Small sizes, some of them 0, and some axes without border; borders fit a mirror.
Axes RandomAxes(std::mt19937& random, int rank, Border border) {
  const auto up_to = [&](int64_t n) {
    return n <= 0 ? 0 : static_cast<int64_t>(random() % static_cast<uint64_t>(n + 1));
  };
  Axes axes(static_cast<size_t>(rank));
  for (Axis& axis : axes) {
    axis.size = up_to(19) == 0 && border != Border::kReflect ? 0 : 1 + up_to(rank > 5 ? 1 : 3);
    if (up_to(1) == 0) continue;
    const int64_t most = border == Border::kConstant ? 3 : axis.size - (border == Border::kReflect ? 1 : 0);
    axis.before = up_to(rank > 5 ? std::min<int64_t>(most, 2) : most);
    axis.after = up_to(rank > 5 ? std::min<int64_t>(most, 1) : most);
  }
  return axes;
}

// One input, its expected padding, and the loop under test.
class Padding {
 public:
  Padding(const Axes& axes, Border border, size_t element_size)
      : input_(Distinct(InputSize(axes) * static_cast<int64_t>(element_size))),
        element_(Distinct(static_cast<int64_t>(element_size))),
        fill_(element_.data(), element_size),
        layout_(MakeLayout(axes.data(), static_cast<int>(axes.size()), static_cast<int64_t>(element_size), border)),
        expected_(PadSlowly(axes, border, input_, element_)),
        name_("rank " + std::to_string(axes.size()) + ", elements of " + std::to_string(element_size) + " bytes") {}

  // With and without streaming stores, whatever this processor prefers. `cuts` are in units, sorted.
  void ExpectSame(const std::vector<int64_t>& cuts) const {
    for (const bool streams : {false, true}) {
      BorderLayout layout = layout_;
      layout.streams = streams;
      ASSERT_NO_FATAL_FAILURE(ExpectSame(layout, cuts));
    }
  }
  void ExpectSameInParts(int64_t parts) const {
    std::vector<int64_t> cuts;
    for (int64_t i = 1; i < parts; ++i) cuts.push_back(layout_.num_units * i / parts);
    ExpectSame(cuts);
  }
  void ExpectSameForEveryCut() const {
    for (int64_t cut = 0; cut <= layout_.num_units && !testing::Test::HasFatalFailure(); ++cut) ExpectSame({cut});
  }

 private:
  // Writes piece by piece, the last one first, before a guard that must stay unchanged.
  void ExpectSame(const BorderLayout& layout, const std::vector<int64_t>& cuts) const {
    Bytes output(expected_.size() + 64, '#');
    int64_t end = layout_.num_units;
    for (auto cut = cuts.rbegin(); cut != cuts.rend(); ++cut) {
      WriteUnits(layout, fill_, input_.data(), output.data(), *cut, end);
      end = *cut;
    }
    WriteUnits(layout, fill_, input_.data(), output.data(), 0, end);
    EXPECT_EQ(Bytes(output.end() - 64, output.end()), Bytes(64, '#')) << "written past the end";
    output.resize(output.size() - 64);
    ASSERT_EQ(output, expected_) << name_ << ", cut at " << testing::PrintToString(cuts)
                                 << (layout.streams ? ", streamed" : "");
  }

  const Bytes input_, element_;
  const Fill fill_;
  const BorderLayout layout_;
  const Bytes expected_;
  const std::string name_;
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

TEST(Padding, TakesEmptyInputsAndOutputsAndNoBorder) {
  Padding({{0, 2, 1}, {3, 0, 2}}, Border::kConstant, 4).ExpectSameForEveryCut();
  Padding({{3, 0, 0}, {5, 0, 0}}, Border::kConstant, 2).ExpectSameForEveryCut();
  Padding({{0, 0, 0}, {3, 1, 1}}, Border::kConstant, 8).ExpectSame({});
  Padding({{0, 0, 0}, {3, 1, 1}}, Border::kSymmetric, 8).ExpectSame({});
}

// Streaming stores write whole cache lines: odd borders and cuts make runs and parts begin in the middle of lines.
TEST(Padding, AgreesOnLargeOutputs) {
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

TEST(MakeLayout, MergesAxesWithoutBorder) {
  const Axis axes[] = {{2, 0, 0}, {3, 0, 0}, {4, 1, 1}, {1, 0, 0}, {5, 0, 0}, {6, 0, 0}};
  for (const Border border : {Border::kConstant, Border::kReflect}) {
    const BorderLayout layout = MakeLayout(axes, 6, 4, border);
    EXPECT_EQ(layout.rank, 2);
    EXPECT_EQ(layout.unit_bytes, 5 * 6 * 4);
    EXPECT_EQ(layout.num_units, 2 * 3 * 6);
  }
}

}  // namespace
}  // namespace pad
