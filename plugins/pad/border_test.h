// plugins/pad/border_test.h: what the tests of all ops of this plugin have in common.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "opsrun/testing.h"

namespace pad_test {

namespace test = opsrun::test;

inline constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
inline const std::string kBadPaddings = "INVALID_ARGUMENT: input:paddings: ";

class BorderTest : public test::OpTest {
 protected:
  // `mode`: that of MirrorPad.
  explicit BorderTest(std::string op, std::string mode = "") : op_(std::move(op)), mode_(std::move(mode)) {}

  // The op on an input of zeros.
  test::Node On(const test::Array& input, const test::Array& paddings) {
    test::Node node = Op(op_).Input(input).Input(paddings);
    if (op_ == "PadV2") node.Input(test::Array::Zeros(input.dtype, {}));
    if (!mode_.empty()) node.Attr("mode", mode_);
    return node;
  }
  // The same on int32, with inputs that only the kernel sees.
  void Late(const test::Shape& shape, const test::Array& paddings) {
    On(test::Array::Zeros(OPSRUN_DT_INT32, shape), paddings).Late();
  }

  void TakesEightDimensionsAndNoMore() {
    On(test::Array::Zeros(OPSRUN_DT_INT32, test::Shape(8, 2)), test::ArrayOf<int32_t>({8, 2}, std::vector(16, 1)));
    Run();
    On(test::Array::Zeros(OPSRUN_DT_INT32, test::Shape(9, 1)), test::ArrayOf<int32_t>({9, 2}, std::vector(18, 0)));
    RunFails("UNIMPLEMENTED: input:input: input may have at most 8 dimensions, but has 9");
  }

  void HasAKernelForEveryNumberAndBool() {
    std::vector<int32_t> dtypes = test::NumberTypes();
    dtypes.push_back(OPSRUN_DT_BOOL);
    for (const int32_t dtype : dtypes) {
      On(test::Array::Zeros(dtype, {1}), test::ArrayOf<int32_t>({1, 2}, {0, 0}));
      Run();
      ExpectOutput(last(), 0, test::Array::Zeros(dtype, {1}));
    }
  }

  // Of the node that is there.
  void GivesTheSameHoweverItIsCut() {
    Run();
    const test::Array whole = Output(0);
    CutLoops();
    Run();
    ExpectOutput(last(), 0, whole);
  }

  std::string op_, mode_;
};

}  // namespace pad_test
