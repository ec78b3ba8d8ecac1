// plugins/pad/border_test.h: helpers for the tests of this plugin.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include "moves.h"
#include "opsrun/testing.h"

namespace pad_test {
namespace test = opsrun::test;

inline constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
inline const std::string kBadPaddings = "INVALID_ARGUMENT: input:paddings: ";

class BorderTest : public test::OpTest {
 protected:
  // `mode`: the attr of MirrorPad.
  explicit BorderTest(std::string op, std::string mode = "") : op_(std::move(op)), mode_(std::move(mode)) {}

  // The op on an input of zeros.
  test::Node On(const test::Array& input, const test::Array& paddings) {
    test::Node node = Op(op_).Input(input).Input(paddings);
    if (op_ == "PadV2") node.Input(test::Array::Zeros(input.dtype, {}));
    if (!mode_.empty()) node.Attr("mode", mode_);
    return node;
  }
  // The same on int32, with inputs that are known only at run time.
  void Late(const test::Shape& shape, const test::Array& paddings) {
    On(test::Array::Zeros(OPSRUN_DT_INT32, shape), paddings).Late();
  }

  void TakesEightDimensionsAndNoMore() {
    On(test::Array::Zeros(OPSRUN_DT_INT32, test::Shape(8, 2)), test::ArrayOf<int32_t>({8, 2}, std::vector(16, 1)));
    Run();
    On(test::Array::Zeros(OPSRUN_DT_INT32, test::Shape(9, 1)), test::ArrayOf<int32_t>({9, 2}, std::vector(18, 0)));
    RunFails("UNIMPLEMENTED: input:input: input may have at most 8 dimensions, but has 9");
  }

  // Runs the current node.
  void GivesTheSameHoweverItIsCut() {
    Run();
    const test::Array whole = Output(0);
    CutLoops();
    RunGives(last(), 0, whole);
  }

  std::string op_, mode_;
};

}  // namespace pad_test

namespace pad {

// Padding by a simple loop that finds the source of each element of the output.

using Bytes = std::vector<char>;
using Axes = std::vector<Axis>;

enum class Border { kConstant, kReflect, kSymmetric };

inline int64_t InputSize(const Axes& axes) {
  return std::accumulate(axes.begin(), axes.end(), int64_t{1}, [](int64_t n, const Axis& a) { return n * a.size; });
}

inline int64_t OutputSize(const Axes& axes) {
  return std::accumulate(axes.begin(), axes.end(), int64_t{1}, [](int64_t n, const Axis& a) { return n * a.padded(); });
}

// The index in the input that each index of the output shows, or -1.
inline std::vector<int64_t> Shown(const Axis& axis, Border border) {
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
inline Bytes PadSlowly(const Axes& axes, Border border, const Bytes& input, const Bytes& element) {
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

inline Bytes Distinct(int64_t bytes) {
  Bytes data(static_cast<size_t>(bytes));
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<char>((i * 2654435761u) >> 13);
  return data;
}

// Small sizes, some of them 0, and some axes without border; borders fit a mirror.
inline Axes RandomAxes(std::mt19937& random, int rank, Border border) {
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

}  // namespace pad
