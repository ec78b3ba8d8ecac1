// plugins/array_ops/kernels_test.cc: what tests/numpy does not cover: threads, ranks up to 32, late errors, sizes that
// overflow.
// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <numeric>

#include "opsrun/testing.h"

namespace {

using namespace opsrun::test;

class ArrayOps : public OpTest {
 protected:
  static std::vector<int32_t> UpTo(int64_t n) {
    std::vector<int32_t> numbers(static_cast<size_t>(n));
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
  }
};

TEST_F(ArrayOps, TransposeInSmallPartsOnSeveralThreads) {
  constexpr int32_t kRows = 333, kColumns = 257;
  std::vector<int32_t> transposed;
  for (int32_t c = 0; c < kColumns; ++c) {
    for (int32_t r = 0; r < kRows; ++r) transposed.push_back(r * kColumns + c);
  }
  Threads(4);
  CutLoops();
  Op("Transpose").Input<int32_t>({kRows, kColumns}, UpTo(kRows * kColumns)).Input<int32_t>({2}, {1, 0});
  RunGives<int32_t>(0, {kColumns, kRows}, transposed);
}

TEST_F(ArrayOps, SliceRowsInSmallParts) {
  constexpr int32_t kRows = 500, kColumns = 100;
  std::vector<int32_t> part;
  for (int32_t r = 3; r < kRows; ++r) {
    for (int32_t c = 10; c < 90; ++c) part.push_back(r * kColumns + c);
  }
  Threads(4);
  CutLoops();
  Op("Slice")
      .Input<int32_t>({kRows, kColumns}, UpTo(kRows * kColumns))
      .Input<int32_t>({2}, {3, 10})
      .Input<int32_t>({2}, {-1, 80});
  RunGives<int32_t>(0, {kRows - 3, 80}, part);
}

TEST_F(ArrayOps, TransposeTheLargestRank) {
  Shape shape(32, 1);
  shape[5] = 2;
  shape[30] = 3;
  std::vector<int32_t> perm = UpTo(32);
  std::swap(perm[5], perm[30]);
  Op("Transpose").Input<int8_t>(shape, {1, 2, 3, 4, 5, 6}).Input<int32_t>({32}, perm);
  Run();
  std::swap(shape[5], shape[30]);
  ExpectOutput<int8_t>(0, shape, {1, 4, 2, 5, 3, 6});
}

TEST_F(ArrayOps, TileTheLargestRank) {
  Shape shape(32, 1);
  std::vector<int32_t> multiples(32, 1);
  multiples[0] = multiples[31] = 2;
  Op("Tile").Input<std::string>(shape, {"tile"}).Input<int32_t>({32}, multiples);
  Run();
  shape[0] = shape[31] = 2;
  ExpectOutput<std::string>(0, shape, {"tile", "tile", "tile", "tile"});
}

TEST_F(ArrayOps, SpaceGoesToTheBatchInTheLargestRank) {
  Shape shape(32, 1);
  shape[31] = 3;
  std::vector<int32_t> block(31, 1), paddings(62, 0);
  block[30] = 2;
  paddings[60] = 1;
  const std::vector<std::string> texts = {"a", "a text that is longer than any object", "c"};
  const Node node = Op("SpaceToBatchND")
                        .Input<std::string>(shape, texts)
                        .Input<int32_t>({31}, block)
                        .Input<int32_t>({31, 2}, paddings);
  Add("BatchToSpaceND").Input(node).Input<int32_t>({31}, block).Input<int32_t>({31, 2}, paddings);
  RunGives<std::string>(0, shape, texts);
  shape[0] = shape[31] = 2;
  ExpectOutput(node, 0, ArrayOf<std::string>(shape, {"", texts[1], "a", "c"}));
}

TEST_F(ArrayOps, SpaceToBatchPassesItsInputOnIfThereIsNothingToDo) {
  Op("SpaceToBatchND").Input<float>({2, 1}, {1, 2}).Late().Input<int32_t>({1}, {1}).Input<int32_t>({1, 2}, {0, 0});
  Run();
  EXPECT_TRUE(Forwarded(0, 0));
  ExpectOutput<float>(0, {2, 1}, {1, 2});
}

TEST_F(ArrayOps, BatchToSpaceRefusesCropsWhoseSumOverflows) {
  constexpr int64_t kHuge = INT64_MAX;
  Op("BatchToSpaceND")
      .Input<int8_t>({2, 2, 1}, {1, 2, 3, 4})
      .Input<int64_t>({1}, {2})
      .Input<int64_t>({1, 2}, {kHuge, kHuge})
      .Late();
  RunFails("row 0 of crops is [9223372036854775807, 9223372036854775807]");
}

TEST_F(ArrayOps, ExpandDimsRefusesARankThatNoTensorHas) {
  Op("ExpandDims").Input<int8_t>(Shape(32, 1), {1}).Input<int32_t>({}, {0}).Late();
  RunFails("input has rank 32");
}

TEST_F(ArrayOps, StridedSliceRefusesARankThatNoTensorHas) {
  const std::vector<int32_t> entries(1, 0);
  Op("StridedSlice")
      .Input<int8_t>(Shape(32, 1), {1})
      .Input<int32_t>({1}, entries)
      .Input<int32_t>({1}, entries)
      .Input<int32_t>({1}, {1})
      .Attr("new_axis_mask", 1)
      .Late();
  RunFails("");
}

TEST_F(ArrayOps, ScatterNdRefusesShapesWhoseSizeOverflows) {
  Op("ScatterNd")
      .Input<int64_t>({0, 1}, {})
      .Input<float>({0, int64_t{1} << 40, 0}, {})
      .Input<int64_t>({3}, {int64_t{1} << 40, int64_t{1} << 40, 0});
  RunFails("which has too many elements");
}

TEST_F(ArrayOps, BroadcastToRefusesSizesThatOverflow) {
  Op("BroadcastTo").Input<int8_t>({}, {1}).Input<int64_t>({2}, {int64_t{1} << 62, int64_t{1} << 62}).Late();
  RunFails("");
}

TEST_F(ArrayOps, UniqueTakesZerosForOneNumberAndNansForMany) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  Op("Unique").Input<float>({5}, {0, nan, -0.0F, nan, 0});
  RunGives<int32_t>(1, {5}, {0, 1, 0, 2, 0});
}

TEST_F(ArrayOps, SparseToDenseTakesTheLastOfEqualIndices) {
  Op("SparseToDense")
      .Input<int32_t>({3}, {1, 0, 1})
      .Input<int32_t>({1}, {3})
      .Input<std::string>({3}, {"a", "b", "c"})
      .Input<std::string>({}, {"-"})
      .Attr("validate_indices", false);
  RunGives<std::string>(0, {3}, {"b", "c", "-"});
}

TEST_F(ArrayOps, RandomNumbersAreThoseOfTheSeed) {
  Op("RandomUniform").Input<int32_t>({1}, {3}).Attr("seed", 7).Attr("dtype", "float64");
  Run();
  const auto first = Output(0);
  Threads(3);
  Op("RandomUniform").Input<int32_t>({1}, {3}).Attr("seed", 7).Attr("dtype", "float64");
  Run();
  EXPECT_EQ(Output(0).bytes, first.bytes);
  Run();
  EXPECT_NE(Output(0).bytes, first.bytes);
}

class Variables : public OpTest {
 protected:
  Node Make(const std::string& shared_name = "", const std::string& dtype = "float32") {
    return Op("Variable", "w")
        .Attr("shared_name", shared_name)
        .Attr("dtype", dtype)
        .Attr("shape", opsrun::test::Shape{-1});
  }
  Node Use(const std::string& op, const Node& variable, const Array& value) {
    return Add(op).Input(variable).Input(value);
  }
  Node Read(const Node& variable, const std::string& dtype = "float32") {
    return Add("ReadVariable").Input(variable).Attr("dtype", dtype);
  }
};

TEST_F(Variables, KeepWhatIsAssigned) {
  const Node w = Make();
  const Node first = Use("Assign", w, ArrayOf<float>({2}, {5, 6}));
  const Node sum = Use("AssignAdd", w, ArrayOf<float>({2}, {1, 0.5F})).After(first);
  const Node rest = Use("AssignSub", w, ArrayOf<float>({2}, {2, 2})).After(sum);
  const Node value = Read(w).After(rest);
  RunGives(value, 0, ArrayOf<float>({2}, {4, 4.5F}));
}

TEST_F(Variables, AreAssignedOnceOfManyRuns) {
  const Node w = Make("once");
  const Node begin = Use("Assign", w, ArrayOf<float>({1}, {10})).Attr("once", true);
  const Node step = Use("AssignSub", w, ArrayOf<float>({1}, {1})).After(begin);
  const Node value = Read(w).After(step);
  Run();
  RunGives(value, 0, ArrayOf<float>({1}, {8}));
}

TEST_F(Variables, RefuseToBeReadBeforeTheyHaveAValue) {
  Read(Make());
  RunFails("input:resource: the variable of node 'w' has no value yet");
}

TEST_F(Variables, RefuseOtherTypesAndShapes) {
  Use("Assign", Make(), ArrayOf<int32_t>({1}, {1}));
  RunFails("input:resource: the variable of node 'w' is float32, but this node asks for int32");
  Use("Assign", Make(), ArrayOf<float>({1, 1}, {1}));
  RunFails("input:value: the variable of node 'w' has the shape [?], but the shape of value is [1,1]");
  const Node w = Make();
  const Node begin = Use("Assign", w, ArrayOf<float>({2}, {1, 1}));
  Use("AssignAdd", w, ArrayOf<float>({3}, {1, 1, 1})).After(begin);
  RunFails("input:value: the variable of node 'w' holds a tensor of shape [2], but the shape of value is [3]");
}

TEST_F(Variables, RefuseHandlesOfOtherObjects) {
  Op("ReadVariable").InputHandle("Counter").Attr("dtype", "float32");
  RunFails("resource must come from an op Variable");
}

TEST_F(Variables, AddOnSeveralThreads) {
  Threads(4);
  const Node w = Make("sum", "int64");
  const Node begin = Use("Assign", w, ArrayOf<int64_t>({1}, {0}));
  Node value = Read(w, "int64");
  for (int i = 0; i < 50; ++i) value = value.After(Use("AssignAdd", w, ArrayOf<int64_t>({1}, {1})).After(begin));
  RunGives(value, 0, ArrayOf<int64_t>({1}, {50}));
}

}  // namespace
