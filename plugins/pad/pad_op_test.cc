// The op as a host sees it: its shape function and its kernels, called through the plugin's table.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/sdk/fake_call.h"
#include "tests/sdk/fake_create.h"
#include "tests/sdk/fake_host.h"
#include "tests/sdk/fake_shape_call.h"

namespace {

using opsrun_test::FakeCall;
using opsrun_test::FakeCreate;
using opsrun_test::FakeHost;
using opsrun_test::FakeShapeCall;

using Sizes = std::vector<int64_t>;

class PadOp : public testing::Test {
 protected:
  const opsrun_op& Op() { return *opsrun_plugin_v1(host_.table())->ops[0]; }

  const opsrun_kernel* KernelFor(int32_t dtype) {
    const opsrun_plugin* plugin = opsrun_plugin_v1(host_.table());
    for (uint32_t i = 0; i < plugin->n_kernels; ++i) {
      const opsrun_attr& types = plugin->kernels[i]->constraints[0];
      for (uint64_t k = 0; k < types.count; ++k) {
        if (types.v.ints[k] == dtype) return plugin->kernels[i];
      }
    }
    return nullptr;
  }

  // The output's shapes, or the sentence that says why not, with what it blames.
  std::string Infer(FakeShapeCall& call) {
    call.InArg("input", 1).InArg("paddings", 1).OutArg("output", 1);
    const int32_t code = Op().shape(Op().shape_ctx, call.handle());
    if (code == OPSRUN_OK) return call.Outputs();
    return Text(code, call.failure());
  }
  std::string Infer(const std::string& shapes) {
    FakeShapeCall call(host_, shapes);
    return Infer(call);
  }
  template <typename Int>
  std::string Infer(const std::string& shapes, const std::vector<Int>& paddings) {
    FakeShapeCall call(host_, shapes);
    call.Value(1, {static_cast<int64_t>(paddings.size()) / 2, 2}, paddings);
    return Infer(call);
  }

  // Runs the kernel; the output's shape is not planned.
  template <typename T>
  std::string Run(FakeCall& call) {
    const int32_t dtype = opsrun_test::kDtypeOf<T>;
    FakeCreate create(host_, "Pad");
    create.In("input", dtype).In("paddings", OPSRUN_DT_INT32).Out("output", dtype);
    void* kernel = nullptr;
    EXPECT_EQ(create.Run(*KernelFor(dtype), &kernel), OPSRUN_OK);
    const int32_t code = call.Out(dtype).Run(KernelFor(dtype)->compute, kernel);
    KernelFor(dtype)->destroy(kernel);
    return code == OPSRUN_OK ? "ok" : Text(code, call.failure());
  }
  template <typename Int>
  std::string RunOn(const Sizes& shape, const Sizes& paddings_shape, const std::vector<Int>& paddings) {
    FakeCall call(host_);
    return Run<int32_t>(call.In<int32_t>(shape, {}).In<Int>(paddings_shape, paddings));
  }

  static std::string Text(int32_t code, const opsrun_test::Failure& failure) {
    return std::to_string(code) + " " + failure.subject + ": " + failure.text;
  }

  FakeHost host_;
};

constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();

std::string Refusal(int code, const std::string& text) {
  return std::to_string(code) + " input:paddings: " + text;
}

TEST_F(PadOp, InfersNothingFromUnknownShapes) {
  EXPECT_EQ(Infer("?;?"), "?");
}

TEST_F(PadOp, InfersTheRankFromEitherInput) {
  EXPECT_EQ(Infer("[1,2,3];?"), "[?,?,?]");
  EXPECT_EQ(Infer("?;[3,2]"), "[?,?,?]");
}

TEST_F(PadOp, AddsConstantPaddingsToTheDimensions) {
  const std::vector<int32_t> paddings = {1, 10, 2, 20, 3, 30};
  EXPECT_EQ(Infer("[100,200,300];[3,2]", paddings), "[111,222,333]");
  EXPECT_EQ(Infer("[100,?,300];[3,2]", paddings), "[111,?,333]");
  EXPECT_EQ(Infer("?;[3,2]", paddings), "[?,?,?]");
}

TEST_F(PadOp, KeepsDimensionsWithoutPaddings) {
  EXPECT_EQ(Infer("[?,7,?];[3,2]", std::vector<int64_t>{0, 0, 0, 0, 0, 4}), "[d0_0,d0_1,?]");
}

TEST_F(PadOp, InfersScalars) {
  EXPECT_EQ(Infer("[];[0,2]", std::vector<int32_t>{}), "[]");
}

TEST_F(PadOp, RefusesPaddingsOfAWrongShape) {
  for (const char* shapes : {"?;[1,2,3]", "?;[1,4]", "[1,2,3];[4,2]", "[1];[2]", "[];[1,2]"}) {
    EXPECT_EQ(Infer(shapes).rfind(Refusal(OPSRUN_INVALID_ARGUMENT, ""), 0), 0u) << shapes << ": " << Infer(shapes);
  }
}

TEST_F(PadOp, RefusesNegativeConstantPaddings) {
  EXPECT_EQ(Infer("[4,4];[2,2]", std::vector<int32_t>{0, 0, 1, -1}),
            Refusal(OPSRUN_INVALID_ARGUMENT, "paddings must not be negative, but row 1 is [1, -1]"));
}

TEST_F(PadOp, RefusesConstantPaddingsThatOverflow) {
  EXPECT_EQ(Infer("[4];[1,2]", std::vector<int64_t>{0, kHuge}).rfind(Refusal(OPSRUN_INVALID_ARGUMENT, ""), 0), 0u);
}

TEST_F(PadOp, PadsAMatrix) {
  FakeCall call(host_);
  EXPECT_EQ(Run<uint8_t>(call.In<uint8_t>({2, 2}, {1, 2, 3, 4}).In<int32_t>({2, 2}, {0, 1, 2, 0})), "ok");
  EXPECT_EQ(call.Shape(0), (Sizes{3, 4}));
  EXPECT_EQ(call.Values<uint8_t>(0), (std::vector<uint8_t>{0, 0, 1, 2, 0, 0, 3, 4, 0, 0, 0, 0}));
}

TEST_F(PadOp, TakesPaddingsOf64Bits) {
  FakeCall call(host_);
  EXPECT_EQ(Run<double>(call.In<double>({1}, {0.5}).In<int64_t>({1, 2}, {1, 1})), "ok");
  EXPECT_EQ(call.Values<double>(0), (std::vector<double>{0, 0.5, 0}));
}

TEST_F(PadOp, CopiesAScalar) {
  FakeCall call(host_);
  EXPECT_EQ(Run<int64_t>(call.In<int64_t>({}, {62}).In<int32_t>({0, 2}, {})), "ok");
  EXPECT_EQ(call.Shape(0), Sizes{});
  EXPECT_EQ(call.Values<int64_t>(0), std::vector<int64_t>{62});
}

TEST_F(PadOp, FillsAroundNothing) {
  FakeCall call(host_);
  EXPECT_EQ(Run<float>(call.In<float>({2, 0}, {}).In<int32_t>({2, 2}, {1, 2, 2, 0})), "ok");
  EXPECT_EQ(call.Shape(0), (Sizes{5, 2}));
  EXPECT_EQ(call.Values<float>(0), std::vector<float>(10, 0.0f));
}

TEST_F(PadOp, TakesEightDimensionsAndNoMore) {
  EXPECT_EQ(RunOn<int32_t>(Sizes(8, 1), {8, 2}, std::vector<int32_t>(16, 1)), "ok");
  EXPECT_EQ(RunOn<int32_t>(Sizes(9, 1), {9, 2}, std::vector<int32_t>(18, 0)),
            std::to_string(OPSRUN_UNIMPLEMENTED) + " input:input: Pad takes at most 8 dimensions, but input has 9");
}

TEST_F(PadOp, SaysWhatIsWrongWithPaddingsThatComeLate) {
  const auto refusal = [](const std::string& text) { return Refusal(OPSRUN_INVALID_ARGUMENT, text); };
  EXPECT_EQ(RunOn<int32_t>({3}, {2}, {0, 0}), refusal("paddings must be a matrix of 2 columns, but its shape is [2]"));
  EXPECT_EQ(RunOn<int32_t>({3}, {1, 3}, {0, 0, 0}),
            refusal("paddings must be a matrix of 2 columns, but its shape is [1,3]"));
  EXPECT_EQ(RunOn<int64_t>({3}, {2, 2}, {0, 0, 0, 0}),
            refusal("paddings must have a row for each of the input's 1 dimensions, but its shape is [2,2]"));
  EXPECT_EQ(RunOn<int64_t>({3}, {1, 2}, {-7, 0}), refusal("paddings must not be negative, but row 0 is [-7, 0]"));
  EXPECT_EQ(RunOn<int64_t>({3}, {1, 2}, {kHuge, 1}),
            refusal("paddings make an output of 2^63 bytes or more: row 0 is [9223372036854775807, 1]"));
  EXPECT_EQ(RunOn<int64_t>({1, 1}, {2, 2}, {1 << 30, 0, int64_t{1} << 40, 0}),
            refusal("paddings make an output of 2^63 bytes or more: row 1 is [1099511627776, 0]"));
}

TEST_F(PadOp, HasAKernelForEveryNumberAndBool) {
  for (int32_t dtype :
       {OPSRUN_DT_FLOAT, OPSRUN_DT_DOUBLE, OPSRUN_DT_HALF, OPSRUN_DT_BFLOAT16, OPSRUN_DT_INT8, OPSRUN_DT_INT16,
        OPSRUN_DT_INT32, OPSRUN_DT_INT64, OPSRUN_DT_UINT8, OPSRUN_DT_UINT16, OPSRUN_DT_UINT32, OPSRUN_DT_UINT64,
        OPSRUN_DT_COMPLEX64, OPSRUN_DT_COMPLEX128, OPSRUN_DT_BOOL}) {
    EXPECT_NE(KernelFor(dtype), nullptr) << "dtype " << dtype;
  }
}

}  // namespace
