// plugins/pad/pad_op_test.cc: the kernels of Pad and PadV2.
// SPDX-License-Identifier: Apache-2.0
#include <complex>

#include "pad_ops_test.h"

namespace pad_test {
namespace {

struct PadOp : OpFixture {
  PadOp() : OpFixture("Pad") {}
};
struct PadV2Op : OpFixture {
  PadV2Op() : OpFixture("PadV2") {}
};

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

TEST_F(PadOp, GivesNothingForNothing) {
  FakeCall call(host_);
  EXPECT_EQ(Run<float>(call.In<float>({0, 2}, {}).In<int32_t>({2, 2}, {0, 0, 1, 1})), "ok");
  EXPECT_EQ(call.Shape(0), (Sizes{0, 4}));
}

TEST_F(PadOp, PassesItsInputOnIfThereIsNoBorder) {
  FakeCall call(host_);
  call.In<int32_t>({2}, {7, 8}).In<int32_t>({1, 2}, {0, 0}).Forwardable(0);
  EXPECT_EQ(Run<int32_t>(call), "ok");
  EXPECT_EQ(call.Output(0)->data, call.Input(0)->data);
  EXPECT_EQ(call.Values<int32_t>(0), (std::vector<int32_t>{7, 8}));
}

TEST_F(PadOp, CopiesAnInputThatOthersNeed) {
  FakeCall call(host_);
  EXPECT_EQ(Run<int32_t>(call.In<int32_t>({2}, {7, 8}).In<int32_t>({1, 2}, {0, 0})), "ok");
  EXPECT_NE(call.Output(0)->data, call.Input(0)->data);
  EXPECT_EQ(call.Values<int32_t>(0), (std::vector<int32_t>{7, 8}));
}

TEST_F(PadOp, PutsEmptyStringsAroundStrings) {
  FakeCall call(host_);
  call.InStrings({2, 1}, {"a text that is longer than any object", "b"}).In<int32_t>({2, 2}, {0, 1, 1, 0});
  EXPECT_EQ(Run(call, OPSRUN_DT_STRING), "ok");
  EXPECT_EQ(call.Shape(0), (Sizes{3, 2}));
  EXPECT_EQ(call.Strings(0), (Strings{"", "a text that is longer than any object", "", "b", "", ""}));
}

TEST_F(PadOp, TakesStringsOfEveryRank) {
  for (size_t rank = 0; rank <= 8; ++rank) {
    FakeCall call(host_);
    call.InStrings(Sizes(rank, 1), {"x"})
        .In<int32_t>({static_cast<int64_t>(rank), 2}, std::vector<int32_t>(2 * rank, 1));
    EXPECT_EQ(Run(call, OPSRUN_DT_STRING), "ok");
    Strings expected(call.Strings(0).size());
    expected[expected.size() / 2] = "x";
    EXPECT_EQ(call.Strings(0), expected);
  }
}

TEST_F(PadOp, CopiesStringsWithoutBorder) {
  FakeCall call(host_);
  call.InStrings({2}, {"a", "b"}).In<int32_t>({1, 2}, {0, 0}).Forwardable(0);
  EXPECT_EQ(Run(call, OPSRUN_DT_STRING), "ok");
  EXPECT_EQ(call.Strings(0), (Strings{"a", "b"}));
}

TEST_F(PadOp, PadsManyStringsInParts) {
  CutLoops(host_);
  Strings texts;
  for (int i = 0; i < 1000; ++i) texts.push_back("text number " + std::to_string(i) + " of a thousand");
  FakeCall call(host_);
  EXPECT_EQ(Run(call.InStrings({1000}, texts).In<int32_t>({1, 2}, {1, 1}), OPSRUN_DT_STRING), "ok");
  texts.insert(texts.begin(), "");
  texts.push_back("");
  EXPECT_EQ(call.Strings(0), texts);
}

TEST_F(PadOp, TakesEightDimensionsAndNoMore) {
  EXPECT_EQ(RunOn<int32_t>(Sizes(8, 1), {8, 2}, std::vector<int32_t>(16, 1)), "ok");
  EXPECT_EQ(RunOn<int32_t>(Sizes(9, 1), {9, 2}, std::vector<int32_t>(18, 0)),
            Refusal("input:input", "input may have at most 8 dimensions, but has 9", OPSRUN_UNIMPLEMENTED));
}

TEST_F(PadOp, SaysWhatIsWrongWithPaddingsThatComeLate) {
  EXPECT_EQ(RunOn<int32_t>({3}, {2}, {0, 0}),
            BadPaddings("paddings must be a matrix of 2 columns, but its shape is [2]"));
  EXPECT_EQ(RunOn<int32_t>({3}, {1, 3}, {0, 0, 0}),
            BadPaddings("paddings must be a matrix of 2 columns, but its shape is [1,3]"));
  EXPECT_EQ(RunOn<int64_t>({3}, {2, 2}, {0, 0, 0, 0}),
            BadPaddings("paddings must have a row for each of the input's 1 dimensions, but its shape is [2,2]"));
  EXPECT_EQ(RunOn<int64_t>({3}, {1, 2}, {-7, 0}), BadPaddings("paddings must not be negative, but row 0 is [-7, 0]"));
}

TEST_F(PadOp, RefusesAnOutputThatCannotBeCounted) {
  const auto sentence = [](const std::string& row) {
    return BadPaddings("paddings make an output of 2^63 bytes or more: row " + row);
  };
  EXPECT_EQ(RunOn<int64_t>({3}, {1, 2}, {kHuge, 1}), sentence("0 is [9223372036854775807, 1]"));
  EXPECT_EQ(RunOn<int64_t>({3}, {1, 2}, {kHuge, kHuge}), sentence("0 is [9223372036854775807, 9223372036854775807]"));
  EXPECT_EQ(RunOn<int64_t>({0}, {1, 2}, {kHuge, 0}), sentence("0 is [9223372036854775807, 0]"));
  EXPECT_EQ(RunOn<int64_t>({1, 1}, {2, 2}, {1 << 30, 0, int64_t{1} << 40, 0}), sentence("1 is [1099511627776, 0]"));
  EXPECT_EQ(RunOn<int64_t>({1, 0}, {2, 2}, {kHuge / 2, 0, 0, 0}), sentence("0 is [4611686018427387903, 0]"));
}

TEST_F(PadOp, GivesTheSameHoweverItIsCut) {
  const std::vector<int32_t> ones(300 * 301, 1);
  FakeCall whole(host_), cut(host_);
  for (FakeCall* call : {&whole, &cut}) {
    EXPECT_EQ(Run<int32_t>(call->In<int32_t>({300, 301}, ones).In<int32_t>({2, 2}, {1, 5, 30, 7})), "ok");
    CutLoops(host_);
  }
  EXPECT_EQ(whole.Values<int32_t>(0), cut.Values<int32_t>(0));
}

TEST_F(PadOp, HasAKernelForEveryNumberAndBool) {
  EXPECT_TRUE(HasAKernelForEveryNumberAndBool());
}

TEST_F(PadV2Op, FillsWithItsConstant) {
  FakeCall call(host_);
  call.In<int16_t>({1, 2}, {1, 2}).In<int32_t>({2, 2}, {0, 1, 1, 0}).In<int16_t>({}, {-9});
  EXPECT_EQ(Run<int16_t>(call), "ok");
  EXPECT_EQ(call.Values<int16_t>(0), (std::vector<int16_t>{-9, 1, 2, -9, -9, -9}));
}

TEST_F(PadV2Op, CopiesTheBytesOfItsConstant) {
  using Complex = std::complex<double>;
  FakeCall call(host_);
  call.In<Complex>({1}, {{1, 2}}, OPSRUN_DT_COMPLEX128).In<int32_t>({1, 2}, {1, 2});
  EXPECT_EQ(Run(call.In<Complex>({}, {{-0.0, 4}}, OPSRUN_DT_COMPLEX128), OPSRUN_DT_COMPLEX128), "ok");
  EXPECT_EQ(call.Values<Complex>(0), (std::vector<Complex>{{-0.0, 4}, {1, 2}, {-0.0, 4}, {-0.0, 4}}));
}

TEST_F(PadV2Op, FillsWithAString) {
  FakeCall call(host_);
  call.InStrings({2}, {"", "b"}).In<int32_t>({1, 2}, {1, 2}).InStrings({}, {"a border of strings, each a copy"});
  EXPECT_EQ(Run(call, OPSRUN_DT_STRING), "ok");
  const std::string border = "a border of strings, each a copy";
  EXPECT_EQ(call.Strings(0), (Strings{border, "", "b", border, border}));
}

TEST_F(PadV2Op, FillsAroundNoStrings) {
  FakeCall call(host_);
  EXPECT_EQ(Run(call.InStrings({0}, {}).In<int32_t>({1, 2}, {2, 0}).InStrings({}, {"-"}), OPSRUN_DT_STRING), "ok");
  EXPECT_EQ(call.Strings(0), (Strings{"-", "-"}));
}

TEST_F(PadV2Op, WantsAScalar) {
  FakeCall call(host_);
  call.In<float>({2}, {1, 2}).In<int32_t>({1, 2}, {-1, 0}).In<float>({1}, {9});
  EXPECT_EQ(Run<float>(call),
            Refusal("input:constant_values", "constant_values must be a scalar, but its shape is [1]"));
}

TEST_F(PadV2Op, HasAKernelForEveryNumberAndBool) {
  EXPECT_TRUE(HasAKernelForEveryNumberAndBool());
}

}  // namespace
}  // namespace pad_test
