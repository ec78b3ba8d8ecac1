// plugins/string_to_number/string_to_number_op_test.cc: StringToNumber and NumberToString as a host sees them.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "tests/sdk/fake_shape_call.h"
#include "tests/sdk/own_plugin.h"

namespace string_to_number_test {
namespace {

using opsrun_test::FakeCall;
using opsrun_test::FakeCreate;
using opsrun_test::FakeHost;
using opsrun_test::FakeShapeCall;
using Sizes = std::vector<int64_t>;
using Strings = std::vector<std::string>;

class OpFixture : public testing::Test {
 protected:
  explicit OpFixture(std::string op) : op_(std::move(op)) {}

  // Runs the kernel for `dtype`, from `in` to `out`: "ok", or why not.
  std::string Run(FakeCall& call, int32_t dtype, int32_t in, int32_t out) {
    FakeCreate create(host_, op_);
    create.In(op_ == "StringToNumber" ? "string_tensor" : "input", in).Out("output", out);
    return opsrun_test::RunOnce(opsrun_test::FindKernel(host_, op_, dtype), create, call.Out(out));
  }

  std::string op_;
  FakeHost host_;
};

struct StringToNumberOp : OpFixture {
  StringToNumberOp() : OpFixture("StringToNumber") {}

  template <typename T>
  std::vector<T> Numbers(const Strings& texts) {
    FakeCall call(host_);
    call.InStrings({static_cast<int64_t>(texts.size())}, texts);
    EXPECT_EQ(Run(call, opsrun_test::kDtypeOf<T>, OPSRUN_DT_STRING, opsrun_test::kDtypeOf<T>), "ok");
    return call.Values<T>(0);
  }
  std::string Why(const Sizes& shape, const Strings& texts, int32_t dtype) {
    FakeCall call(host_);
    return Run(call.InStrings(shape, texts), dtype, OPSRUN_DT_STRING, dtype);
  }
};

struct NumberToStringOp : OpFixture {
  NumberToStringOp() : OpFixture("NumberToString") {}

  template <typename T>
  Strings Texts(const std::vector<T>& numbers) {
    FakeCall call(host_);
    call.In<T>({static_cast<int64_t>(numbers.size())}, numbers);
    EXPECT_EQ(Run(call, opsrun_test::kDtypeOf<T>, opsrun_test::kDtypeOf<T>, OPSRUN_DT_STRING), "ok");
    return call.Strings(0);
  }
};

std::string Refusal(const std::string& sentence) {
  return std::to_string(OPSRUN_INVALID_ARGUMENT) + " input:string_tensor: " + sentence;
}

TEST_F(StringToNumberOp, ReadsEveryType) {
  EXPECT_EQ(Numbers<float>({" 1.5", "-2e3 "}), (std::vector<float>{1.5, -2000}));
  EXPECT_EQ(Numbers<double>({"0.1"}), std::vector<double>{0.1});
  EXPECT_EQ(Numbers<int32_t>({"12", "-7"}), (std::vector<int32_t>{12, -7}));
  EXPECT_EQ(Numbers<int64_t>({"1234567890123"}), std::vector<int64_t>{1234567890123});
}

TEST_F(StringToNumberOp, KeepsTheShape) {
  FakeCall call(host_);
  EXPECT_EQ(Run(call.InStrings({0, 3}, {}), OPSRUN_DT_INT32, OPSRUN_DT_STRING, OPSRUN_DT_INT32), "ok");
  EXPECT_EQ(call.Shape(0), (Sizes{0, 3}));
}

TEST_F(StringToNumberOp, NamesTheFirstTextThatIsNoNumber) {
  EXPECT_EQ(Why({2, 2}, {"1", "2", "three", "four"}, OPSRUN_DT_FLOAT),
            Refusal("string_tensor[1, 0] is 'three', but float needs a number, such as 42, -7.5, 3e8, inf or nan"));
  EXPECT_EQ(Why({}, {"1.5"}, OPSRUN_DT_INT64),
            Refusal("string_tensor is '1.5', but int64 needs a whole number, such as 42 or -7"));
}

TEST_F(StringToNumberOp, SaysWhatATypeHolds) {
  EXPECT_EQ(
      Why({1}, {"3000000000"}, OPSRUN_DT_INT32),
      Refusal("string_tensor[0] is '3000000000', which is too large for int32: it holds -2147483648 to 2147483647"));
  EXPECT_EQ(
      Why({1}, {"-1e39"}, OPSRUN_DT_FLOAT),
      Refusal("string_tensor[0] is '-1e39', which is too large for float: it holds -3.4028235e+38 to 3.4028235e+38"));
}

TEST_F(StringToNumberOp, ShowsOddTextOnOneLine) {
  EXPECT_EQ(Why({1}, {"\xff\n" + std::string(100, 'x')}, OPSRUN_DT_INT32),
            Refusal("string_tensor[0] is '\\xff\\x0a" + std::string(38, 'x') +
                    "...', but int32 needs a whole number, such as 42 or -7"));
}

TEST_F(StringToNumberOp, NamesTheFirstOfManyThreads) {
  auto* table = const_cast<opsrun_host*>(host_.table());
  table->num_threads = [](opsrun_call*) -> int32_t { return 4; };
  table->parallel_for = [](opsrun_call*, int64_t n, int64_t, opsrun_range_fn fn, void* ctx) -> int32_t {
    for (int64_t i = n; i > 0; --i) fn(ctx, i - 1, i);
    return OPSRUN_OK;
  };
  EXPECT_EQ(Why({4}, {"1", "b", "3", "d"}, OPSRUN_DT_INT32),
            Refusal("string_tensor[1] is 'b', but int32 needs a whole number, such as 42 or -7"));
}

TEST_F(NumberToStringOp, WritesEveryType) {
  EXPECT_EQ(Texts<int8_t>({-128, 0}), (Strings{"-128", "0"}));
  EXPECT_EQ(Texts<uint64_t>({UINT64_MAX}), Strings{"18446744073709551615"});
  EXPECT_EQ(Texts<bool>({true, false}), (Strings{"true", "false"}));
  for (int32_t dtype : {OPSRUN_DT_INT16, OPSRUN_DT_INT32, OPSRUN_DT_INT64, OPSRUN_DT_UINT8, OPSRUN_DT_UINT16,
                        OPSRUN_DT_UINT32, OPSRUN_DT_FLOAT, OPSRUN_DT_DOUBLE}) {
    EXPECT_NE(opsrun_test::FindKernel(host_, op_, dtype), nullptr) << dtype;
  }
}

TEST_F(NumberToStringOp, WritesTheFewestDigitsThatTell) {
  EXPECT_EQ(Texts<float>({0.1f, 3, 1e20f, -0.0f}), (Strings{"0.1", "3", "1e+20", "-0"}));
  EXPECT_EQ(Texts<double>({0.1, 1.0 / 3, 5e-324}), (Strings{"0.1", "0.3333333333333333", "5e-324"}));
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Texts<double>({infinity, -infinity, nan, -nan}), (Strings{"inf", "-inf", "nan", "nan"}));
}

}  // namespace
}  // namespace string_to_number_test
