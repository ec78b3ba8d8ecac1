// tests/sdk/tensor_shape_test.cc: TensorShape, PartialTensorShape, TensorShapeUtils.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/tensor_shape.h"

#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "opsrun/array_slice.h"

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

TEST(TensorShape, IteratesOverSizes) {
  int64 sum = 0;
  for (const TensorShapeDim dim : TensorShape({2, 3})) sum += dim.size;
  EXPECT_EQ(sum, 5);
}

TEST(TensorShape, RefusesWhatIsNoShape) {
  EXPECT_EQ(FailureOf([] { TensorShape({2, -1}); }), "A dimension has size -1, below 0");
  EXPECT_EQ(FailureOf([] { TensorShape({2, 3}).dim_size(2); }), "Shape [2,3] has no dimension 2");
  EXPECT_EQ(FailureOf([] { TensorShape({2}).dim_size(-1); }), "Shape [2] has no dimension -1");
  EXPECT_EQ(FailureOf([] { TensorShape(std::vector<int>(32, 1)).AddDim(1); }),
            "A shape has 0 to 32 dimensions, not 33");
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
}

TEST(TensorShapeUtils, MakeShapeReturnsWhatTheConstructorWouldFail) {
  const int sizes[] = {2, -3};
  TensorShape shape;
  EXPECT_TRUE(TensorShapeUtils::MakeShape(sizes, 1, &shape).ok());
  EXPECT_EQ(shape, TensorShape({2}));
  EXPECT_EQ(TensorShapeUtils::MakeShape(sizes, 2, &shape).message(), "Dimension 1 has size -3, below 0");
}

TEST(TensorShape, IsMadeFromAnyContainerOfIntegers) {
  const int64 sizes[] = {2, 3};
  EXPECT_EQ(TensorShape(gtl::ArraySlice<int64>(sizes)), TensorShape({2, 3}));
  EXPECT_EQ(TensorShape(std::array<int, 1>{4}), TensorShape({4}));
  EXPECT_EQ(PartialTensorShape(std::vector<int64_t>{2, -1}).DebugString(), "[2,?]");
  EXPECT_FALSE((std::is_convertible_v<std::string, TensorShape>));
}

constexpr int64 kHalf = int64{1} << 62;

TEST(TensorShape, RefusesSizesWithAStatus) {
  TensorShape shape({kHalf});
  EXPECT_EQ(shape.AddDimWithStatus(-1).code(), error::INVALID_ARGUMENT);
  EXPECT_EQ(shape.AddDimWithStatus(2).code(), error::INVALID_ARGUMENT);
  EXPECT_EQ(shape.InsertDimWithStatus(2, 1).code(), error::INTERNAL);
  EXPECT_EQ(shape.InsertDimWithStatus(-1, 1).code(), error::INTERNAL);
  EXPECT_EQ(shape.SetDimWithStatus(1, 1).code(), error::INTERNAL);
  EXPECT_EQ(shape.SetDimWithStatus(0, -1).code(), error::INVALID_ARGUMENT);
  EXPECT_EQ(shape.AppendShapeWithStatus(TensorShape({1, kHalf})).code(), error::INVALID_ARGUMENT);
  EXPECT_EQ(shape.RemoveDimWithStatus(1).code(), error::INTERNAL);
  EXPECT_EQ(shape.RemoveDimWithStatus(-1).code(), error::INTERNAL);
  EXPECT_EQ(shape.RemoveLastDimsWithStatus(2).code(), error::INTERNAL);
  EXPECT_EQ(shape.RemoveDimRangeWithStatus(0, 2).code(), error::INTERNAL);
  EXPECT_EQ(shape, TensorShape({kHalf}));
  EXPECT_TRUE(shape.IsValid());
  shape.AddDim(4);
  EXPECT_FALSE(shape.IsValid());
}

TEST(TensorShape, TakesNoMoreDimensionsThanThereCanBe) {
  TensorShape shape;
  while (shape.dims() < TensorShape::MaxDimensions()) ASSERT_TRUE(shape.AddDimWithStatus(1).ok());
  EXPECT_EQ(shape.AddDimWithStatus(1).code(), error::INTERNAL);
  EXPECT_EQ(TensorShape::BuildTensorShape(std::vector<int>(100, 1), &shape).code(), error::INTERNAL);
  EXPECT_TRUE(TensorShapeUtils::MakeShape(std::vector<int64>(32, 1), &shape).ok());
  EXPECT_EQ(shape.dims(), 32);
  for (const size_t rank : {33u, 100u}) {
    EXPECT_EQ(TensorShapeUtils::MakeShape(std::vector<int64>(rank, 1), &shape).code(), error::INVALID_ARGUMENT);
  }
}

TEST(TensorShape, ChangesWithAStatus) {
  TensorShape shape;
  EXPECT_TRUE(TensorShape::BuildTensorShape({2, 3}, &shape).ok());
  EXPECT_TRUE(shape.AddDimWithStatus(4).ok());
  EXPECT_TRUE(shape.InsertDimWithStatus(0, 1).ok());
  EXPECT_TRUE(shape.SetDimWithStatus(1, 7).ok());
  EXPECT_TRUE(shape.AppendShapeWithStatus(shape).ok());
  EXPECT_EQ(shape.DebugString(), "[1,7,3,4,1,7,3,4]");
  EXPECT_TRUE(shape.RemoveDimWithStatus(0).ok());
  EXPECT_TRUE(shape.RemoveLastDimsWithStatus(4).ok());
  EXPECT_EQ(shape.DebugString(), "[7,3,4]");
  EXPECT_TRUE(TensorShape::BuildTensorShapeBase(std::vector<int>{5}, &shape).ok());
  EXPECT_EQ(shape.DebugString(), "[5]");
}

TEST(TensorShape, RemovesARange) {
  TensorShape shape({1, 2, 3, 4});
  shape.RemoveDimRange(1, 3);
  EXPECT_EQ(shape.DebugString(), "[1,4]");
  shape.RemoveDimRange(1, 1);
  EXPECT_EQ(shape.DebugString(), "[1,4]");
  shape.RemoveDimRange(-2, -1);
  EXPECT_EQ(shape.DebugString(), "[1]");
  EXPECT_NE(FailureOf([&] { shape.RemoveDimRange(0, 2); }), "no failure");
}

TEST(TensorShapeUtils, MultipliesAndPrintsShapes) {
  int64 count = 0;
  EXPECT_TRUE(TensorShapeUtils::NumElements(std::vector<int64>{2, 3}, &count).ok());
  EXPECT_EQ(count, 6);
  EXPECT_EQ(TensorShapeUtils::NumElements(std::vector<int64>{kHalf, 2}, &count).code(), error::INVALID_ARGUMENT);
  EXPECT_EQ(TensorShapeUtils::ShapeListString(std::vector<TensorShape>{{2, 3}, {}}), "[[2,3], []]");
}

TEST(PartialTensorShape, JoinsAndMerges) {
  const PartialTensorShape rows({2, -1}), columns({-1, 3}), unknown;
  PartialTensorShape merged;
  EXPECT_TRUE(rows.MergeWith(columns, &merged).ok());
  EXPECT_TRUE(merged.IsIdenticalTo(PartialTensorShape({2, 3})));
  EXPECT_TRUE(unknown.MergeWith(rows, &merged).ok());
  EXPECT_TRUE(merged.IsIdenticalTo(rows));
  EXPECT_EQ(rows.MergeWith(PartialTensorShape({3, 3}), &merged).code(), error::INVALID_ARGUMENT);
  EXPECT_EQ(rows.Concatenate(5).DebugString(), "[2,?,5]");
  EXPECT_EQ(rows.Concatenate(columns).DebugString(), "[2,?,?,3]");
  EXPECT_TRUE(rows.Concatenate(unknown).unknown_rank() && unknown.Concatenate(1).unknown_rank());
  EXPECT_EQ(rows.num_elements(), -1);
  EXPECT_EQ(PartialTensorShape({2, 3}).num_elements(), 6);
  EXPECT_EQ(rows.dim_sizes(), (std::vector<int64>{2, -1}));
  EXPECT_EQ(PartialTensorShape::BuildPartialTensorShape(std::vector<int>{-2}, &merged).code(), error::INVALID_ARGUMENT);
}

TEST(PartialTensorShapeUtils, CompareLists) {
  const std::vector<PartialTensorShape> a{PartialTensorShape({2, -1})}, b{PartialTensorShape({2, 3})}, none;
  EXPECT_TRUE(PartialTensorShapeUtils::AreCompatible(a, b) && !PartialTensorShapeUtils::AreIdentical(a, b));
  EXPECT_TRUE(PartialTensorShapeUtils::AreIdentical(a, a) && !PartialTensorShapeUtils::AreCompatible(a, none));
  EXPECT_EQ(PartialTensorShapeUtils::PartialShapeListString(a), "[[2,?]]");
}

}  // namespace
}  // namespace opsrun
