// compat/tests/tensorflow/kernels_test.cc: small functions and older names that kernels use.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>

#include "tensorflow/core/framework/partial_tensor_shape.h"
#include "tensorflow/core/framework/resource_mgr.h"
#include "tensorflow/core/framework/type_traits.h"
#include "tensorflow/core/kernels/ops_util.h"
#include "tensorflow/core/lib/core/threadpool.h"
#include "tensorflow/core/platform/env.h"
#include "tensorflow/core/util/bcast.h"

namespace tensorflow {
namespace {

TEST(OpsUtil, KnowsWhatIsAligned) {
  const int64 floats = EIGEN_MAX_ALIGN_BYTES / static_cast<int64>(sizeof(float));
  EXPECT_TRUE(IsInnerDimsSizeAligned<float>(TensorShape({3, floats})));
  EXPECT_EQ(IsInnerDimsSizeAligned<float>(TensorShape({3, floats + 1})), floats == 0);
  EXPECT_FALSE(IsInnerDimsSizeAligned<float>(TensorShape({})));
  EXPECT_FALSE(IsInnerDimsSizeAligned<float>(TensorShape({0, floats})));
  EXPECT_TRUE(IsDim0SliceAligned<float>(TensorShape({3, floats + 1}), 0, 3));
  EXPECT_EQ(IsDim0SliceAligned<float>(TensorShape({3, floats + 1}), 1, 3), floats == 0);
  EXPECT_FALSE(IsDim0SliceAligned<float>(TensorShape({}), 0, 0));
}

TEST(OpsUtil, SanitizesNamesOfThreads) {
  EXPECT_EQ(SanitizeThreadSuffix("a-B_3/x y"), "a-B_3_x_y");
}

TEST(TypeTraits, TellKindsOfElements) {
  EXPECT_TRUE(is_complex<complex64>::value && is_complex<complex128>::value && !is_complex<float>::value);
  EXPECT_TRUE(is_quantized<qint8>::value && is_quantized<quint16>::value && !is_quantized<int8>::value);
  EXPECT_TRUE(is_simple_type<bfloat16>::value && !is_simple_type<tstring>::value);
}

std::string Text(const BCast::Vec& sizes) {
  std::string text;
  for (const int64_t size : sizes) text += strings::StrCat(text.empty() ? "" : ",", size);
  return "[" + text + "]";
}

std::string Described(const BCast& bcast) {
  return Text(bcast.x_reshape()) + Text(bcast.x_bcast()) + " " + Text(bcast.y_reshape()) + Text(bcast.y_bcast()) + " " +
         Text(bcast.result_shape()) + Text(bcast.output_shape()) + " " + Text(bcast.grad_x_reduce_idx()) +
         Text(bcast.grad_y_reduce_idx());
}

// What TensorFlow 2.12 answers.
TEST(BCast, SaysHowEigenBroadcasts) {
  EXPECT_EQ(Described(BCast({2, 3}, {2, 3})), "[6][1] [6][1] [6][2,3] [][]");
  EXPECT_EQ(Described(BCast({2, 3}, {3})), "[2,3][1,1] [1,3][2,1] [2,3][2,3] [][0]");
  EXPECT_EQ(Described(BCast({2, 1, 3}, {1, 1})), "[6][1] [1][6] [6][2,1,3] [1][0,1,2]");
  EXPECT_EQ(Described(BCast({2, 1, 3}, {1, 1}, false)), "[2,1,3][1,1,1] [1,1,1][2,1,3] [2,1,3][2,1,3] [1][0,1,2]");
  EXPECT_EQ(Described(BCast({}, {1})), "[1][1] [1][1] [1][1] [0][0]");
  EXPECT_EQ(Described(BCast({1, 2}, {3, 1})), "[1,2][3,1] [3,1][1,2] [3,2][3,2] [0][1]");
  EXPECT_FALSE(BCast({2, 3}, {2, 4}).IsValid());
  EXPECT_TRUE(BCast({1}, {2}).IsBroadcastingRequired() && !BCast({2}, {2}).IsBroadcastingRequired());
}

TEST(BCast, IsUsedWithEigen) {
  Tensor x(DT_INT32, TensorShape({2, 1})), y(DT_INT32, TensorShape({3}));
  for (int i = 0; i < 2; ++i) x.flat<int32>()(i) = 10 * i;
  for (int i = 0; i < 3; ++i) y.flat<int32>()(i) = i;
  const BCast bcast(BCast::FromShape(x.shape()), BCast::FromShape(y.shape()));
  Tensor sum(DT_INT32, BCast::ToShape(bcast.output_shape()));
  sum.shaped<int32, 2>(BCast::ToShape(bcast.result_shape())) = x.flat<int32>()
                                                                   .reshape(BCast::ToIndexArray<2>(bcast.x_reshape()))
                                                                   .broadcast(BCast::ToIndexArray<2>(bcast.x_bcast())) +
                                                               y.flat<int32>()
                                                                   .reshape(BCast::ToIndexArray<2>(bcast.y_reshape()))
                                                                   .broadcast(BCast::ToIndexArray<2>(bcast.y_bcast()));
  EXPECT_EQ(sum.SummarizeValue(9), "0 1 2 10 11 12");
}

TEST(TypeIndex, IsMadeByAFunction) {
  EXPECT_TRUE(MakeTypeIndex<float>() == TypeIndex::Make<float>() && MakeTypeIndex<float>() != MakeTypeIndex<int>());
}

TEST(ThreadPool, TransformsBlocks) {
  thread::ThreadPool pool(Env::Default(), "test", 3);
  std::atomic<int64> sum{0}, blocks{0}, longest{0};
  pool.TransformRangeConcurrently(10, 95, [&](int64 begin, int64 end) {
    EXPECT_EQ(begin % 10, 0);
    if (end - begin > longest) longest = end - begin;
    for (int64 i = begin; i < end; ++i) sum += i;
    ++blocks;
  });
  EXPECT_EQ(sum, 94 * 95 / 2);
  EXPECT_EQ(blocks, 10);
  EXPECT_EQ(longest, 10);
  pool.TransformRangeConcurrently(10, 0, [&](int64, int64) { ++blocks; });
  pool.TransformRangeConcurrently(0, 10, [&](int64, int64) { ++blocks; });
  EXPECT_EQ(blocks, 10);
}

TEST(PartialTensorShape, IsMadeOfSizes) {
  PartialTensorShape shape;
  const std::vector<int64> sizes = {2, -1}, bad = {-2};
  TF_CHECK_OK(PartialTensorShape::MakePartialShape(sizes.data(), 2, &shape));
  EXPECT_EQ(shape.DebugString(), "[2,?]");
  EXPECT_FALSE(PartialTensorShape::MakePartialShape(bad.data(), 1, &shape).ok());
  EXPECT_FALSE(PartialTensorShape::MakePartialShape(sizes.data(), 1000, &shape).ok());
  EXPECT_EQ(shape.DebugString(), "[2,?]");
}

struct Older : ResourceBase {
  std::string DebugString() override { return "older"; }
};
struct Newer : ResourceBase {
  std::string DebugString() const override { return "newer"; }
};

TEST(ResourceBase, DescribesItselfInBothWays) {
  Older older;
  Newer newer;
  EXPECT_EQ(static_cast<ResourceBase&>(older).DebugString(), "older");
  EXPECT_EQ(static_cast<ResourceBase&>(newer).DebugString(), "newer");
  EXPECT_EQ(static_cast<const ResourceBase&>(newer).DebugString(), "newer");
}

class Guarded {
 public:
  void Set(int value) LOCKS_EXCLUDED(mutex_) {
    const mutex_lock lock(mutex_);
    value_ = value;
  }
  int value() SHARED_LOCKS_REQUIRED(mutex_) { return value_; }
  int Unchecked() NO_THREAD_SAFETY_ANALYSIS { return value_ + *pointer_; }

 private:
  mutex mutex_;
  int value_ GUARDED_BY(mutex_) = 0;
  int* pointer_ PT_GUARDED_BY(mutex_) = &value_;
};

TEST(ThreadAnnotations, HaveTheirOlderNames) {
  Guarded guarded;
  guarded.Set(2);
  EXPECT_EQ(guarded.Unchecked(), 4);
}

}  // namespace
}  // namespace tensorflow
