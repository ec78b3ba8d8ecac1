// plugins/median_pool/median_pool_op_test.cc: the op as a host sees it, called through the plugin's table.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/sdk/fake_shape_call.h"
#include "tests/sdk/own_plugin.h"

namespace median_pool_test {
namespace {

using namespace opsrun_test;
using Sizes = std::vector<int64_t>;

struct MedianPool : testing::Test {
  MedianPool& Window(const Sizes& ksize, const std::string& padding = "SAME", const Sizes& strides = {1, 1}) {
    ksize_ = ksize, padding_ = padding, strides_ = strides;
    return *this;
  }

  std::string Infer(const std::string& shape) {
    FakeShapeCall call(host_, shape);
    SetAttrs(call.attrs);
    const opsrun_op* op = opsrun_plugin_v1(host_.table())->ops[0];
    const int32_t code = op->shape(op->shape_ctx, call.InArg("input", 1).OutArg("output", 1).handle());
    return code == OPSRUN_OK ? call.Outputs() : Told(call.failure());
  }

  std::string Run(FakeCall& call, int32_t dtype) {
    FakeCreate create(host_, "MedianPool");
    SetAttrs(create.In("input", dtype).Out("output", dtype).attrs);
    return RunOnce(FindKernel(host_, "MedianPool", dtype), create, call.Out(dtype));
  }

  void SetAttrs(FakeAttrs& attrs) { attrs.Ints("ksize", ksize_).Ints("strides", strides_).String("padding", padding_); }

  FakeHost host_;
  Sizes ksize_, strides_;
  std::string padding_;
};

TEST_F(MedianPool, TakesASpeckOut) {
  FakeCall call(host_);
  call.In<uint8_t>({3, 4}, {5, 5, 5, 5, 5, 255, 5, 5, 5, 5, 5, 5});
  EXPECT_EQ(Window({3, 3}).Run(call, OPSRUN_DT_UINT8), "ok");
  EXPECT_EQ(call.Shape(0), (Sizes{3, 4}));
  EXPECT_EQ(call.Values<uint8_t>(0), std::vector<uint8_t>(12, 5));
}

TEST_F(MedianPool, CutsWindowsAtTheBorder) {
  FakeCall call(host_);
  EXPECT_EQ(Window({1, 3}).Run(call.In<float>({1, 4}, {4, 1, 3, 2}), OPSRUN_DT_FLOAT), "ok");
  EXPECT_EQ(call.Values<float>(0), (std::vector<float>{1, 3, 2, 2}));
}

TEST_F(MedianPool, StepsByItsStrides) {
  FakeCall call(host_);
  call.In<uint8_t>({1, 2, 6, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  EXPECT_EQ(Window({2, 2}, "VALID", {2, 2}).Run(call, OPSRUN_DT_UINT8), "ok");
  EXPECT_EQ(call.Shape(0), (Sizes{1, 1, 3, 1}));
  EXPECT_EQ(call.Values<uint8_t>(0), (std::vector<uint8_t>{2, 4, 6}));
}

TEST_F(MedianPool, FiltersEachChannelByItself) {
  FakeCall call(host_);
  call.In<float>({1, 3, 2}, {1, 10, 2, 30, 3, 20});
  EXPECT_EQ(Window({1, 3}, "VALID").Run(call, OPSRUN_DT_FLOAT), "ok");
  EXPECT_EQ(call.Values<float>(0), (std::vector<float>{2, 20}));
}

TEST_F(MedianPool, GivesNothingForNothing) {
  for (const Sizes& shape : {Sizes{0, 5, 5, 1}, Sizes{1, 0, 5, 1}, Sizes{1, 5, 5, 0}}) {
    FakeCall call(host_);
    EXPECT_EQ(Window({3, 3}).Run(call.In<float>(shape, {}), OPSRUN_DT_FLOAT), "ok");
    EXPECT_EQ(call.Shape(0), shape);
  }
}

TEST_F(MedianPool, TakesWindowsLargerThanTheImageIfTheyAreCut) {
  FakeCall same(host_), valid(host_);
  EXPECT_EQ(Window({9, 9}).Run(same.In<uint8_t>({1, 3}, {7, 9, 8}), OPSRUN_DT_UINT8), "ok");
  EXPECT_EQ(same.Values<uint8_t>(0), (std::vector<uint8_t>{8, 8, 8}));
  EXPECT_EQ(
      Window({9, 9}, "VALID").Run(valid.In<uint8_t>({1, 3}, {7, 9, 8}), OPSRUN_DT_UINT8),
      "3 attr:ksize: a window of height 9 does not fit into an input of height 1; padding SAME cuts windows at the "
      "border");
}

TEST_F(MedianPool, RefusesWhatIsNoImage) {
  FakeCall call(host_);
  EXPECT_EQ(
      Window({3, 3}).Run(call.In<float>({2}, {1, 2}), OPSRUN_DT_FLOAT),
      "3 input:input: input must have 2 dimensions (height, width), 3 (with channels) or 4 (with a batch before), "
      "but its shape is [2]");
}

TEST_F(MedianPool, RefusesAttrsThatAreNoWindow) {
  EXPECT_EQ(Window({3, 0}).Infer("?"), "3 attr:ksize: the width of ksize must be between 1 and 1073741824, but is 0");
  EXPECT_EQ(Window({3, 3, 3}).Infer("?"), "3 attr:ksize: ksize must be two numbers, [height, width], but there are 3");
  EXPECT_EQ(Window({3, 3}, "SAME", {-1, 1}).Infer("?"),
            "3 attr:strides: the height of strides must be between 1 and 1073741824, but is -1");
}

TEST_F(MedianPool, InfersEveryLayout) {
  EXPECT_EQ(Window({3, 3}).Infer("?"), "?");
  EXPECT_EQ(Window({3, 3}).Infer("[?,7]"), "[d0_0,d0_1]");
  EXPECT_EQ(Window({3, 5}, "VALID").Infer("[9,7]"), "[7,3]");
  EXPECT_EQ(Window({3, 5}, "VALID").Infer("[?,7,3]"), "[?,3,d0_2]");
  EXPECT_EQ(Window({3, 3}, "SAME", {2, 3}).Infer("[?,9,7,3]"), "[d0_0,5,3,d0_3]");
}

TEST_F(MedianPool, RefusesShapesItCannotTake) {
  EXPECT_EQ(Window({3, 3}, "VALID").Infer("[?,2]"),
            "3 attr:ksize: a window of width 3 does not fit into an input of width 2; padding SAME cuts windows at the "
            "border");
  EXPECT_EQ(
      Window({3, 3}).Infer("[1,2,3,4,5]"),
      "3 input:input: input must have 2 dimensions (height, width), 3 (with channels) or 4 (with a batch before), "
      "but its shape is [1,2,3,4,5]");
}

}  // namespace
}  // namespace median_pool_test
