// tests/sdk/tensor_test.cc: Tensor: ownership, and errors; TensorShape, PartialTensorShape, TensorShapeUtils.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/tensor.h"

#include <array>
#include <functional>

#include "opsrun/array_slice.h"
#include "tests/sdk/run_body.h"

namespace opsrun_test {
namespace {

TEST(Tensor, IsOnePointer) {
  EXPECT_EQ(sizeof(Tensor), sizeof(void*));
}

TEST(Tensor, HoldsNothingAtFirst) {
  const Tensor tensor;
  EXPECT_FALSE(tensor.IsInitialized());
  EXPECT_EQ(tensor.NumElements(), 0);
  EXPECT_EQ(tensor.shape(), TensorShape({0}));
  EXPECT_EQ(tensor.flat<float>().size(), 0);
}

TEST(Tensor, CountsItsCopiesWithItsHost) {
  BodyTest t;
  t.Computes([&](OpKernelContext* context) {
    Tensor kept;
    {
      Tensor scratch;
      OP_REQUIRES_OK(context, context->allocate_temp(DT_INT32, {3}, &scratch));
      scratch.flat<int32>().setConstant(5);
      Tensor copy = scratch, moved = std::move(copy);
      kept = moved;
      EXPECT_TRUE(kept.SharesBufferWith(scratch));
      EXPECT_EQ(t.host.held_tensors(), 3);
    }
    EXPECT_EQ(t.host.held_tensors(), 1);
    kept = *&kept;
    EXPECT_EQ(kept.flat<int32>()(2), 5);
  });
  EXPECT_EQ(t.host.held_tensors(), 0);
}

TEST(Tensor, CopiesOfAnInputLiveOn) {
  BodyTest t;
  t.call.In<int32_t>({2}, {7, 8});
  Tensor kept;
  t.Computes([&](OpKernelContext* context) { kept = context->input(0); });
  EXPECT_EQ(kept.flat<int32>()(1), 8);
  kept = Tensor();
}

// What a kernel asks for in vain of an int32 tensor of shape [2,2].
TEST(Tensor, RefusesWhatItDoesNotHold) {
  const std::pair<const char*, void (*)(const Tensor&)> rows[] = {
      {"3: The kernel asks for float32 elements of a tensor of int32 [plugin]",
       [](const Tensor& t) { t.flat<float>(); }},
      {"3: The kernel asks for uint32 elements of a tensor of int32 [plugin]",
       [](const Tensor& t) { t.flat<uint32>(); }},
      {"3: The kernel asks for float32 elements of a tensor of int32 [plugin]",
       [](const Tensor& t) { t.Slice(0, 1).SubSlice(0).Slice(0, 1).scalar<float>(); }},
      {"3: The kernel asks for a map of rank 1 of a tensor of shape [2,2]", [](const Tensor& t) { t.vec<int32>(); }},
      {"3: The kernel asks for a scalar of a tensor of shape [2,2]", [](const Tensor& t) { t.scalar<int32>(); }},
      {"3: The kernel asks for dimension 2 of a tensor of shape [2,2]", [](const Tensor& t) { t.dim_size(2); }},
      {"3: The kernel asks for a map of rank 1 and shape [3] of a tensor of shape [2,2]",
       [](const Tensor& t) { (void)t.shaped<int32, 1>({3}); }},
      {"3:", [](const Tensor& t) { t.bit_casted_tensor<uint8, 2>(); }},
      {"3:", [](const Tensor& t) { t.bit_casted_shaped<uint8, 1>({15}); }},
      {"3:", [](const Tensor& t) { t.bit_casted_shaped<uint8, 2>({16}); }}};
  for (const auto& [failure, use] : rows) {
    BodyTest t;
    t.call.In<int32_t>({2, 2}, {1, 2, 3, 4});
    t.ComputeFails(failure, [use = use](OpKernelContext* context) { use(context->input(0)); });
  }
}

TEST(Tensor, ReadsAScalarOfTheOtherSign) {
  BodyTest t;
  t.call.In<int64_t>({}, {-1});
  t.Computes([](OpKernelContext* context) {
    EXPECT_EQ(context->input(0).scalar<uint64>()(), kuint64max);
    EXPECT_EQ(context->input(0).scalar<int64>()(), -1);
  });
}

// A reference, because sources return it from functions.
const TensorShape& ShapeOfFirst(OpKernelContext* context) {
  return context->input(0).shape();
}

TEST(Tensor, OwnsItsShape) {
  for (const int rank : {0, 1, 3, 9}) {
    BodyTest t;
    t.call.In<int32_t>(std::vector<int64_t>(static_cast<size_t>(rank), 1), {7});
    t.Computes([rank](OpKernelContext* context) {
      const TensorShape& shape = ShapeOfFirst(context);
      EXPECT_EQ(shape.dims(), rank);
      EXPECT_EQ(shape, TensorShape(std::vector<int64>(static_cast<size_t>(rank), 1)));
      TensorShape changed = shape;
      changed.AddDim(5);
      EXPECT_EQ(changed.num_elements(), 5);
      EXPECT_EQ(shape.num_elements(), 1);
      const Tensor made(DT_INT32, changed);
      EXPECT_EQ(made.shape(), changed);
      EXPECT_NE(made.shape(), shape);
    });
  }
}

TEST(Tensor, DescribesItself) {
  BodyTest t;
  t.call.In<int32_t>({2, 2}, {1, 2, 3, 4}).In<float>({}, {0.5}).In<bool>({1}, {true});
  t.Computes([](OpKernelContext* context) {
    EXPECT_EQ(context->input(0).DebugString(), "Tensor<type: int32 shape: [2,2] values: 1 2 3 ...>");
    EXPECT_EQ(context->input(1).SummarizeValue(9), "0.5");
    EXPECT_EQ(context->input(2).SummarizeValue(9), "1");
    EXPECT_EQ(context->input(0).TotalBytes(), 16u);
    EXPECT_EQ(context->input(0).tensor_data().size(), 16u);
  });
}

TEST(Tensor, FoldsDimensionsOnBothSides) {
  BodyTest t;
  t.call.In<int32_t>({2, 3, 1, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  t.Computes([](OpKernelContext* context) {
    Tensor x = context->input(0);
    const auto sizes = [](const auto& map) { return internal::StrCat(map.dimension(0), ",", map.dimension(1)); };
    EXPECT_EQ(sizes(x.flat_inner_outer_dims<int32, 2>(0)), "2,6");
    EXPECT_EQ(sizes(x.flat_inner_outer_dims<int32, 2>(1)), "6,2");
    EXPECT_EQ(sizes(x.flat_inner_outer_dims<int32, 2>(3)), "12,1");
    EXPECT_EQ(sizes(x.flat_inner_outer_dims<int32, 2>(-1)), "1,12");
    EXPECT_EQ((std::as_const(x).flat_inner_outer_dims<int32, 2>(1)(5, 1)), 12);
  });
}

TEST(Tensor, MapsItsBytesAsOtherElements) {
  BodyTest t;
  t.call.In<int32_t>({3, 2}, {1, 0, 2, 0, 3, 0});
  t.Computes([](OpKernelContext* context) {
    Tensor x = context->input(0);
    const auto expect = [](auto& tensor) {
      EXPECT_EQ((tensor.template bit_casted_tensor<uint32, 2>()(2, 0)), 3u);
      EXPECT_EQ((tensor.template bit_casted_shaped<uint8, 1>({24})(16)), 3);
      EXPECT_EQ((tensor.template reinterpret_last_dimension<int64, 1>()(1)), 2);
      EXPECT_EQ((tensor.template unaligned_shaped<int32, 1>({6})(4)), 3);
    };
    expect(x);
    expect(std::as_const(x));
  });
}

}  // namespace
}  // namespace opsrun_test

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
  EXPECT_EQ(FailureOf([] { TensorShape(std::vector<int>(64, 1)).AddDim(1); }),
            "A shape has 0 to 64 dimensions, not 65");
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
  EXPECT_TRUE(TensorShapeUtils::MakeShape(std::vector<int64>(64, 1), &shape).ok());
  EXPECT_EQ(shape.dims(), 64);
  for (const size_t rank : {65u, 100u}) {
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
