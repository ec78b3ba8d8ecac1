// plugins/list_ops/list_ops_test.cc: the loop of rows compared with simple ones; shape functions, errors and edge
// cases. tests/numpy/small_plugins.py tests where elements go.
// SPDX-License-Identifier: Apache-2.0
#include "rows.h"

#include <numeric>
#include <tuple>

#include "opsrun/testing.h"

namespace list_ops {
namespace {

typedef std::vector<std::string> Parts;

Parts DistinctParts(const Rows& r) {
  Parts parts;
  for (int64_t part = 0; part < r.parts; ++part) {
    std::string bytes;
    for (int64_t i = 0; i < r.rows * r.row_bytes; ++i) {
      bytes += static_cast<char>((static_cast<uint64_t>(i + 7919 * part) * 2654435761u) >> 13);
    }
    parts.push_back(bytes);
  }
  return parts;
}

std::string JoinSlowly(const Rows& r, const Parts& parts) {
  std::string whole;
  for (int64_t row = 0; row < r.rows; ++row) {
    for (const std::string& part : parts) {
      whole += part.substr(static_cast<size_t>(row * r.row_bytes), static_cast<size_t>(r.row_bytes));
    }
  }
  return whole;
}

// Joins in ranges of `step` bytes.
std::string JoinQuickly(const Rows& r, const Parts& parts, int64_t step) {
  std::vector<const char*> pointers;
  for (const std::string& part : parts) pointers.push_back(part.data());
  std::string whole(static_cast<size_t>(r.bytes()), '?');
  for (int64_t at = 0; at < r.bytes(); at += step) {
    MoveRange<true>(r, whole.data(), pointers.data(), at, std::min(at + step, r.bytes()));
  }
  return whole;
}

Parts CutQuickly(const Rows& r, const std::string& whole, int64_t step) {
  Parts parts(static_cast<size_t>(r.parts), std::string(static_cast<size_t>(r.rows * r.row_bytes), '?'));
  std::vector<char*> pointers;
  for (std::string& part : parts) pointers.push_back(part.data());
  for (int64_t at = 0; at < r.bytes(); at += step) {
    MoveRange<false>(r, whole.data(), pointers.data(), at, std::min(at + step, r.bytes()));
  }
  return parts;
}

class JoinAndCut : public testing::TestWithParam<std::tuple<int, int, int>> {};

TEST_P(JoinAndCut, MoveEveryByteHoweverTheyAreCut) {
  const auto [count, parts_count, row_bytes] = GetParam();
  const Rows rows = {count, parts_count, row_bytes};
  const Parts parts = DistinctParts(rows);
  const std::string whole = JoinSlowly(rows, parts);
  for (int64_t step : {int64_t{1}, int64_t{64}, int64_t{1000}, rows.bytes()}) {
    EXPECT_EQ(JoinQuickly(rows, parts, step), whole) << step;
    EXPECT_EQ(CutQuickly(rows, whole, step), parts) << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, JoinAndCut,
                         testing::Combine(testing::Values(1, 2, 700), testing::Values(1, 3, 9),
                                          testing::Values(1, 2, 3, 4, 5, 8, 12, 16, 100)));

TEST(Join, TakesMorePartsThanABlockHoldsRowsOf) {
  const Rows rows = {3, 20000, 1};
  const Parts parts = DistinctParts(rows);
  EXPECT_EQ(JoinQuickly(rows, parts, rows.bytes()), JoinSlowly(rows, parts));
}

}  // namespace
}  // namespace list_ops

namespace {

using namespace opsrun::test;

const std::string kWrong = "INVALID_ARGUMENT: ";
const std::string kOneShape = "all inputs must have the same shape, but tensor ";

TEST(AddNShape, IsWhatAllInputsKnowTogether) {
  ShapeInferenceTestOp op("AddN");
  INFER_OK(op, "[2,?]", "in0");
  INFER_OK(op, "[2,?];[?,3]", "[d0_0,d1_1]");
  INFER_OK(op, "?;[2,?];?", "in1");
  INFER_OK(op, "?;?", "in0");
}

TEST(AddNShape, RefusesShapesThatContradict) {
  ShapeInferenceTestOp op("AddN");
  INFER_ERROR(kWrong + "input:inputs.2: " + kOneShape + "0 is [2] and tensor 2 is [3]", op, "[2];?;[3]");
  INFER_ERROR(kWrong + "input:inputs.2: " + kOneShape + "0 is [?] and tensor 2 is [2,1]", op, "[?];[2];[2,1]");
  INFER_ERROR(kWrong + "input:inputs.3: " + kOneShape + "2 is [?,4] and tensor 3 is [2,5]", op, "?;[2,?];[?,4];[2,5]");
}

struct AddNOp : OpTest {};

TEST_F(AddNOp, WritesIntoAnInputThatNobodyReadsAnyMore) {
  Device("cpu");  // on a GPU, the first two inputs are copies without other readers
  std::vector<int32_t> count(5000), three_times(5000);
  std::iota(count.begin(), count.end(), 0);
  for (size_t i = 0; i < count.size(); ++i) three_times[i] = 3 * count[i];
  const Array array = ArrayOf<int32_t>({5000}, count);
  Op("AddN").Input(array).Input(array).FedShapeless().Input(array).Late();
  Run();
  EXPECT_TRUE(Forwarded(0, 2));
  ExpectOutput<int32_t>(0, {5000}, three_times);
}

TEST(IdentityNShape, IsEachInputs) {
  INFER_OK(ShapeInferenceTestOp("IdentityN"), "[2,?];?", "in0;in1");
}

struct IdentityNOp : OpTest {};

TEST_F(IdentityNOp, GivesEachInputAsItIs) {
  Op("IdentityN").Input<int32_t>({2}, {7, 8}).Late().Input<bool>({}, {true});
  Run();
  EXPECT_TRUE(Forwarded(0, 0));
  ExpectOutput<int32_t>(0, {2}, {7, 8});
  ExpectOutput<bool>(1, {}, {true});
}

ShapeInferenceTestOp Along(int axis) {
  return ShapeInferenceTestOp("Pack").Attr("axis", axis);
}

TEST(PackShape, HasTheNewDimension) {
  INFER_OK(Along(0), "[1,3];[1,3];?", "[3,d0_0,d0_1]");
  INFER_OK(Along(1), "[1,3];[1,3];?", "[d0_0,3,d0_1]");
  INFER_OK(Along(-1), "[1,3];[1,3];?", "[d0_0,d0_1,3]");
  INFER_OK(Along(-3), "[1,3];[1,3];?", "[3,d0_0,d0_1]");
  INFER_OK(Along(1), "[?,3];[1,?]", "[d1_0,2,d0_1]");
  INFER_OK(Along(-1), "[]", "[1]");
  INFER_OK(Along(7), "?;?", "?");
}

ShapeInferenceTestOp Into(int num) {
  return ShapeInferenceTestOp("Split").Attr("num_split", num);
}
ShapeInferenceTestOp Along(int32_t split_dim, int num) {
  return Into(num).Value<int32_t>(0, {}, {split_dim});
}

TEST(SplitShape, IsThatOfEachPart) {
  INFER_OK(Along(0, 2), "[];[4,?]", "[2,d1_1];[2,d1_1]");
  INFER_OK(Along(-1, 2), "[];[4,?]", "[d1_0,?];[d1_0,?]");
  INFER_OK(Along(1, 2), "[];?", "?;?");
}

TEST(SplitShape, HasARankAloneWithoutTheAxis) {
  INFER_OK(Into(2), "[];[4,5]", "[?,?];[?,?]");
  INFER_OK(Into(1), "?;?", "?");
}

TEST(SplitShape, RefusesScalars) {
  INFER_ERROR(kWrong + "input:value: value must have one dimension or more, but is a scalar", Into(2), "[];[]");
}

ShapeInferenceTestOp Into(int num, int axis) {
  return ShapeInferenceTestOp("Unpack").Attr("num", num).Attr("axis", axis);
}

TEST(UnpackShape, IsThatOfEachPart) {
  INFER_OK(Into(2, 0), "[2,3,?]", "[d0_1,d0_2];[d0_1,d0_2]");
  INFER_OK(Into(1, -1), "[2,3,?]", "[d0_0,d0_1]");
  INFER_OK(Into(3, 1), "[2,3,?]", "[d0_0,d0_2];[d0_0,d0_2];[d0_0,d0_2]");
  INFER_OK(Into(2, 9), "?", "?;?");
  INFER_OK(Into(0, 0), "[0]", "");
}

struct UnpackOp : OpTest {};

TEST_F(UnpackOp, GivesNoPartsOfNothing) {
  Op("Unpack").Input<float>({0, 2}, {}).Attr("num", 0);
  Run();
  EXPECT_EQ(NumOutputs(), 0);
}

}  // namespace
