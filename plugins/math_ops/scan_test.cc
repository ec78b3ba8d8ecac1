// plugins/math_ops/scan_test.cc: Cumsum, Cumprod and LinearRecurrence: shapes, errors, edge cases.
// tests/numpy/reduce_ops.py compares their results with NumPy's.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/testing.h"

namespace {

using namespace opsrun::test;

TEST(ScanShape, IsThatOfTheInput) {
  for (const char* name : {"Cumsum", "Cumprod"}) {
    ShapeInferenceTestOp op(name);
    INFER_OK(op, "[2,?];[]", "in0");
    INFER_OK(op, "?;?", "in0");
    op.Value<int32_t>(1, {}, {-2});
    INFER_OK(op, "[2,?];[]", "in0");
    INFER_OK(op, "?;[]", "in0");
    INFER_ERROR("input:axis: there is no axis -2 in a tensor of rank 1", op, "[?];[]");
  }
}

TEST(LinearRecurrenceShape, IsThatOfBothInputs) {
  ShapeInferenceTestOp op("LinearRecurrence");
  INFER_OK(op, "[2,?];[?,3];[]", "[d0_0,d1_1]");
  INFER_ERROR("must be equal", op, "[2];[3];[]");
}

class Scans : public OpTest {};

TEST_F(Scans, RoundSumsOfSixteenBitsOnce) {
  constexpr int64_t kSize = 5000;
  std::vector<BFloat16> sums(kSize);
  for (size_t i = 0; i < sums.size(); ++i) sums[i] = BFloat16(static_cast<float>(i + 1));
  Op("Cumsum").Input<BFloat16>({kSize}, std::vector<BFloat16>(kSize, BFloat16(1))).Input<int64_t>({}, {0});
  RunGives<BFloat16>(0, {kSize}, sums);
}

// Elements are numbered, so each sum shows which elements it contains: of rows, of short and of long columns.
TEST_F(Scans, GoAlongAnyAxisOnSeveralThreads) {
  for (const int64_t width : {1, 3, 700}) {
    for (const bool reverse : {false, true}) {
      constexpr int64_t kMatrices = 11, kRows = 40;
      std::vector<int64_t> x(static_cast<size_t>(kMatrices * kRows * width)), sums(x.size());
      for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<int64_t>(i * i);
      for (int64_t i = 0; i < kMatrices * kRows * width; ++i) {
        const int64_t at = reverse ? kMatrices * kRows * width - 1 - i : i, before = reverse ? at + width : at - width;
        const bool is_first = i / width % kRows == 0;
        sums[static_cast<size_t>(at)] = x[static_cast<size_t>(at)] + (is_first ? 0 : sums[static_cast<size_t>(before)]);
      }
      Op("Cumsum").Input<int64_t>({kMatrices, kRows, width}, x).Input<int32_t>({}, {1}).Attr("reverse", reverse);
      Threads(4);
      CutLoops();
      RunGives<int64_t>(0, {kMatrices, kRows, width}, sums);
    }
  }
}

TEST_F(Scans, GoAlongALongLine) {
  constexpr int64_t kSize = 140001;  // on a GPU, in parts whose totals are scanned in parts, too
  for (const bool reverse : {false, true}) {
    std::vector<uint32_t> x(kSize), sums(kSize), products(kSize);
    uint32_t sum = 0, product = 1;
    for (int64_t i = 0; i < kSize; ++i) {
      const auto at = static_cast<size_t>(reverse ? kSize - 1 - i : i);
      x[at] = static_cast<uint32_t>(2 * i + 1);
      sums[at] = sum;
      products[at] = product;
      sum += x[at];
      product *= x[at];
    }
    for (const bool is_sum : {false, true}) {
      Node node = Op(is_sum ? "Cumsum" : "Cumprod").Input<uint32_t>({kSize}, x).Input<int32_t>({}, {0});
      node.Attr("exclusive", true).Attr("reverse", reverse);
      RunGives<uint32_t>(0, {kSize}, is_sum ? sums : products);
    }
  }
}

TEST_F(Scans, TakeOverTheMemoryOfAnInput) {
  Op("Cumsum").Input<float>({4}, {1, 2, 3, 4}).Input<int32_t>({}, {0}).Attr("exclusive", true).Late();
  Run();
  EXPECT_TRUE(Forwarded(0, 0));
  ExpectOutput<float>(0, {4}, {0, 1, 3, 6});
}

TEST_F(Scans, StartAgainAtAFactorOfZero) {
  for (const bool exclusive : {false, true}) {
    Node node = Op("LinearRecurrence").Input<double>({4}, {9, 2, 0, 3}).Input<double>({4}, {1, 1, 1, 1});
    node.Input<int32_t>({}, {0}).Attr("exclusive", exclusive);
    RunGives<double>(0, {4}, exclusive ? std::vector<double>{0, 1, 3, 1} : std::vector<double>{1, 3, 1, 4});
  }
}

TEST_F(Scans, RefuseTermsOfAnotherShape) {
  Node node = Op("LinearRecurrence").Input<float>({2, 2}, {2, 2, 2, 2}).Input<float>({4}, {1, 1, 1, 1});
  node.Input<int32_t>({}, {0}).Late();
  RunFails("input:terms: terms must have the shape of factors, which is [2,2], but its shape is [4]");
}

}  // namespace
