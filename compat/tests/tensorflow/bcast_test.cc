// compat/tests/tensorflow/bcast_test.cc: broadcasts of several shapes and of lists of matrices. What is expected is what
// TensorFlow 2.15 answers.
// SPDX-License-Identifier: Apache-2.0
#include "tensorflow/core/util/bcast.h"

#include <gtest/gtest.h>

#include "tensorflow/core/util/matmul_bcast.h"

namespace tensorflow {
namespace {

typedef BCast::Vec Vec;
typedef std::vector<int64_t> Indices;

TEST(BCastList, SaysHowEigenBroadcasts) {
  const BCastList<3> list({{2, 1, 3}, {1, 3}, {4, 1}});
  EXPECT_TRUE(list.IsValid() && list.IsBroadcastingRequired());
  EXPECT_EQ(list.reshape(0), (Vec{2, 1, 3}));
  EXPECT_EQ(list.bcast(0), (Vec{1, 4, 1}));
  EXPECT_EQ(list.reshape(2), (Vec{1, 4, 1}));
  EXPECT_EQ(list.bcast(2), (Vec{2, 1, 3}));
  EXPECT_EQ(list.result_shape(), (Vec{2, 4, 3}));
  EXPECT_EQ(list.output_shape(), (Vec{2, 4, 3}));
  EXPECT_EQ(list.grad_reduce_idx(1), (Vec{0, 1}));
  EXPECT_EQ(list.output_batch_size(), 24);
}

TEST(BCastList, JoinsDimensionsUnlessToldNotTo) {
  const Vec shapes[2] = {{2, 3, 1, 4}, {4}};
  EXPECT_EQ(BCastList<2>(shapes).result_shape(), (Vec{6, 4}));
  EXPECT_EQ(BCastList<2>(shapes, false).result_shape(), (Vec{2, 3, 1, 4}));
  const Vec same[2] = {{2, 1}, {2, 1}};
  EXPECT_EQ(BCastList<2>(same).result_shape(), Vec{2});
  EXPECT_FALSE(BCastList<2>(same).IsBroadcastingRequired());
}

TEST(BCastList, KnowsThatProductsOfUnknownSizesAreUnknown) {
  EXPECT_EQ(BCastList<2>({{-1, 3}, {-1, 3}}).result_shape(), Vec{-1});
  EXPECT_EQ(BCastList<2>({{-1, 0}, {-1, 0}}).output_batch_size(), 0);
  EXPECT_FALSE(BCastList<2>({{-1}, {3}}).IsValid());
}

TEST(BCastList, HasIndicesOfElements) {
  const BCastList<2> list({{2, 1}, {3}}, true, true);
  EXPECT_EQ(list.batch_indices(0), (Indices{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(list.batch_indices(1), (Indices{0, 1, 2, 0, 1, 2}));
  EXPECT_TRUE(BCastList<2>({{2, 1}, {3}}).batch_indices(0).empty());
  const BCast two({2, 1}, {3}, true, true);
  EXPECT_EQ(two.x_batch_indices(), list.batch_indices(0));
  EXPECT_EQ(two.y_batch_indices(), list.batch_indices(1));
}

TEST(ComputeBatchIndices, RepeatsDimensions) {
  Indices indices;
  ComputeBatchIndices(8, {2, 1, 2}, {1, 2, 1}, &indices);
  EXPECT_EQ(indices, (Indices{0, 1, 0, 1, 2, 3, 2, 3}));
}

TEST(BCast, GivesArraysOfSizes) {
  EXPECT_EQ((BCast::ToIndexArrayType<int, 2>({2, 3})), (std::array<int, 2>{2, 3}));
  EXPECT_THROW(BCast::ToIndexArray<3>({2, 3}), internal::Failure);
}

TEST(MatMulBCast, SaysWhichMatricesAreMultiplied) {
  const MatMulBCast bcast({2, 1, 5, 6}, {3, 6, 7});
  EXPECT_TRUE(bcast.IsValid() && bcast.IsBroadcastingRequired());
  EXPECT_EQ(bcast.output_batch_shape(), TensorShape({2, 3}));
  EXPECT_EQ(bcast.output_batch_size(), 6);
  EXPECT_EQ(bcast.x_batch_size(), 2);
  EXPECT_EQ(bcast.y_batch_size(), 3);
  EXPECT_EQ(bcast.x_batch_indices(), (Indices{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(bcast.y_batch_indices(), (Indices{0, 1, 2, 0, 1, 2}));
}

TEST(MatMulBCast, IsNotRequiredOfEqualBatches) {
  const MatMulBCast same({4, 5, 6}, {4, 6, 7}), matrices({5, 6}, {6, 7});
  EXPECT_TRUE(same.IsValid() && !same.IsBroadcastingRequired() && same.x_batch_indices().empty());
  EXPECT_TRUE(matrices.IsValid() && !matrices.IsBroadcastingRequired());
  EXPECT_EQ(matrices.output_batch_size(), 1);
  EXPECT_FALSE(MatMulBCast({2, 5, 6}, {3, 6, 7}).IsValid());
}

}  // namespace
}  // namespace tensorflow
