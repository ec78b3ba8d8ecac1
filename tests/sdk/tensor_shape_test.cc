// tests/sdk/tensor_shape_test.cc: TensorShape, PartialTensorShape, TensorShapeUtils.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/tensor_shape.h"

#include <gtest/gtest.h>

#include <functional>

namespace opsrun {
namespace {

std::string FailureOf(const std::function<void()>& body) {
  try {
    body();
  } catch (const internal::Failure& failure) {
    return failure.status.message();
  }
  return "no failure";
}

TEST(TensorShape, IsMadeFromBracesNumbersAndVectors) {
  const int n = 2;
  const int64_t m = 3;
  EXPECT_EQ(TensorShape({n, m}).DebugString(), "[2,3]");
  EXPECT_EQ(TensorShape({}).DebugString(), "[]");
  const TensorShape one = {n};
  EXPECT_EQ(one.DebugString(), "[2]");
  EXPECT_EQ(TensorShape(std::vector<int>{4, 5}).DebugString(), "[4,5]");
}

TEST(TensorShape, CountsElements) {
  EXPECT_EQ(TensorShape().num_elements(), 1);
  EXPECT_EQ(TensorShape({2, 3, 4}).num_elements(), 24);
  EXPECT_EQ(TensorShape({2, 0}).num_elements(), 0);
}

TEST(TensorShape, Changes) {
  TensorShape shape({2, 3});
  shape.AddDim(4);
  shape.InsertDim(0, 9);
  shape.set_dim(1, 7);
  EXPECT_EQ(shape.DebugString(), "[9,7,3,4]");
  shape.RemoveDim(2);
  shape.AppendShape(shape);
  EXPECT_EQ(shape.DebugString(), "[9,7,4,9,7,4]");
  shape.RemoveLastDims(4);
  EXPECT_EQ(shape.DebugString(), "[9,7]");
  shape.Clear();
  EXPECT_EQ(shape.dims(), 0);
}

TEST(TensorShape, GoesBeyondItsInlineRank) {
  TensorShape shape;
  for (int i = 0; i < OPSRUN_MAX_RANK; ++i) shape.AddDim(i);
  TensorShape copy = shape;
  TensorShape moved = std::move(copy);
  EXPECT_EQ(moved, shape);
  EXPECT_EQ(moved.dim_size(31), 31);
  copy = moved;
  moved = TensorShape({1});
  EXPECT_EQ(copy, shape);
  EXPECT_EQ(FailureOf([&] { shape.AddDim(1); }), "A shape has 0 to 32 dimensions, not 33");
}

TEST(TensorShape, LosesItsLastDimensions) {
  TensorShape shape({2, 3, 4});
  shape.RemoveLastDims(0);
  EXPECT_EQ(shape, TensorShape({2, 3, 4}));
  shape.RemoveLastDims(2);
  EXPECT_EQ(shape, TensorShape({2}));
  shape.RemoveLastDims(1);
  EXPECT_EQ(shape, TensorShape({}));
  EXPECT_NE(shape, TensorShape({1}));
}

TEST(TensorShape, IteratesOverSizes) {
  int64 sum = 0;
  for (const TensorShapeDim dim : TensorShape({2, 3})) sum += dim.size;
  EXPECT_EQ(sum, 5);
}

TEST(TensorShape, RefusesWhatIsNoShape) {
  EXPECT_EQ(FailureOf([] { TensorShape({2, -1}); }), "A dimension has size -1, below 0");
  EXPECT_EQ(FailureOf([] { TensorShape({2, 3}).dim_size(2); }), "Shape [2,3] has no dimension 2");
  EXPECT_EQ(FailureOf([] { TensorShape({2}).dim_size(-1); }), "Shape [2] has no dimension -1");
}

TEST(PartialTensorShape, IsCompatibleWhereBothAreKnown) {
  const PartialTensorShape shape({-1, 3});
  EXPECT_TRUE(shape.IsCompatibleWith(TensorShape({2, 3})));
  EXPECT_FALSE(shape.IsCompatibleWith(TensorShape({2, 4})));
  EXPECT_FALSE(shape.IsCompatibleWith(TensorShape({3})));
  EXPECT_TRUE(PartialTensorShape().IsCompatibleWith(shape));
  EXPECT_TRUE(PartialTensorShape({2, 3}).IsCompatibleWith(shape));
  EXPECT_TRUE(PartialTensorShape({2, -1}).IsCompatibleWith(shape));
  EXPECT_EQ(shape.DebugString(), "[?,3]");
  EXPECT_EQ(PartialTensorShape().DebugString(), "<unknown>");
}

TEST(PartialTensorShape, BecomesATensorShapeIfItIsDefined) {
  TensorShape shape;
  EXPECT_FALSE(PartialTensorShape({-1, 3}).AsTensorShape(&shape));
  EXPECT_TRUE(PartialTensorShape({2, 3}).AsTensorShape(&shape));
  EXPECT_EQ(shape, TensorShape({2, 3}));
}

TEST(TensorShapeUtils, AskForTheRank) {
  EXPECT_TRUE(TensorShapeUtils::IsScalar({}));
  EXPECT_TRUE(TensorShapeUtils::IsVector({4}));
  EXPECT_FALSE(TensorShapeUtils::IsVector({4, 1}));
  EXPECT_TRUE(TensorShapeUtils::IsMatrixOrHigher({1, 2, 3}));
  EXPECT_TRUE(TensorShapeUtils::StartsWith({1, 2, 3}, {1, 2}));
  EXPECT_TRUE(TensorShapeUtils::StartsWith({1, 2}, {1, 2}));
  EXPECT_FALSE(TensorShapeUtils::StartsWith({1, 2}, {1, 2, 3}));
  EXPECT_TRUE(TensorShapeUtils::EndsWith({1, 2}, {1, 2}));
  EXPECT_FALSE(TensorShapeUtils::EndsWith({1, 2, 3}, {1, 2}));
}

TEST(TensorShapeUtils, MakeShapeReturnsWhatTheConstructorWouldFail) {
  const int sizes[] = {2, -3};
  TensorShape shape;
  EXPECT_TRUE(TensorShapeUtils::MakeShape(sizes, 1, &shape).ok());
  EXPECT_EQ(shape, TensorShape({2}));
  EXPECT_EQ(TensorShapeUtils::MakeShape(sizes, 2, &shape).message(), "Dimension 1 has size -3, below 0");
}

TEST(TensorShapeUtils, MakeShapeTakes32Dimensions) {
  TensorShape shape;
  EXPECT_TRUE(TensorShapeUtils::MakeShape(std::vector<int64>(32, 1), &shape).ok());
  EXPECT_EQ(shape.dims(), 32);
  EXPECT_EQ(TensorShapeUtils::MakeShape(std::vector<int64>(33, 1), &shape).code(), error::INVALID_ARGUMENT);
}

}  // namespace
}  // namespace opsrun
