// tests/sdk/tensor_test.cc: Tensor: ownership, and errors.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/tensor.h"

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
      {"3: The kernel asks for float32 elements of a tensor of int32", [](const Tensor& t) { t.flat<float>(); }},
      {"3: The kernel asks for uint32 elements of a tensor of int32", [](const Tensor& t) { t.flat<uint32>(); }},
      {"3: The kernel asks for float32 elements of a tensor of int32",
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
