// compat/tests/tensorflow/tensor_test.cc: tensors, shapes and windows, under TensorFlow's names.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "every_header.h"

namespace tensorflow {

namespace {

Tensor Row(std::initializer_list<int32> values) {
  Tensor tensor(DT_INT32, {static_cast<int64>(values.size())});
  std::copy(values.begin(), values.end(), tensor.flat<int32>().data());
  return tensor;
}

TEST(CompatTensor, JoinsAndParts) {
  Tensor joined;
  TF_CHECK_OK(tensor::Concat({Row({1, 2}), Row({3})}, &joined));
  EXPECT_EQ(joined.SummarizeValue(9), "1 2 3");
  std::vector<Tensor> parts;
  TF_CHECK_OK(tensor::Split(joined, {1, 2}, &parts));
  EXPECT_EQ(parts[1].SummarizeValue(9), "2 3");
  TF_CHECK_OK(tensor::Split(joined, std::vector<int64_t>{2, 1}, &parts));
  EXPECT_EQ(parts[3].SummarizeValue(9), "3");
  EXPECT_FALSE(tensor::Split(joined, {1}, &parts).ok());
  EXPECT_FALSE(tensor::DeepCopy(joined).SharesBufferWith(joined));
  Tensor copy(DT_INT32, {3, 1});
  tensor::DeepCopy(joined, &copy);
  EXPECT_EQ(copy.SummarizeValue(9), "1 2 3");
  EXPECT_FALSE(PersistentTensor().IsInitialized());
  const PersistentTensor kept(copy);
  EXPECT_TRUE(kept.IsInitialized() && kept.NumElements() == 3 && kept.AllocatedBytes() >= 12);
}

TEST(CompatTensor, PrintsShapes) {
  std::ostringstream text;
  text << TensorShape({2, 3}) << " " << PartialTensorShape({2, -1});
  EXPECT_EQ(text.str(), "[2,3] [2,?]");
}

TEST(CompatTensor, FillsBatches) {
  Tensor batch(DT_INT32, {2, 2});
  TF_CHECK_OK(batch_util::CopyElementToSlice(Row({1, 2}), &batch, 0));
  TF_CHECK_OK(batch_util::CopyElementToSlice(Row({3, 4}), &batch, 1));
  EXPECT_EQ(batch.SummarizeValue(9), "1 2 3 4");
  Tensor element = Row({0, 0});
  TF_CHECK_OK(batch_util::CopySliceToElement(batch, &element, 1));
  EXPECT_EQ(element.SummarizeValue(9), "3 4");
  EXPECT_FALSE(batch_util::CopyElementToSlice(Row({1}), &batch, 0).ok());
}

TEST(CompatTensor, MapsAreEigens) {
  Tensor row = Row({1, 2, 3});
  const Eigen::Tensor<int32, 0, Eigen::RowMajor> sum = row.flat<int32>().sum();
  EXPECT_EQ(sum(), 6);
  Eigen::Matrix<float, 2, 1> vector(3.0F, 4.0F);
  EXPECT_EQ(vector.norm(), 5.0F);
}

// 0, 1, 2, ...
Tensor Numbers(const TensorShape& shape) {
  Tensor tensor(DT_INT32, shape);
  for (int i = 0; i < tensor.NumElements(); ++i) tensor.flat<int32>()(i) = i;
  return tensor;
}

Tensor Scalar(int32 value) {
  Tensor tensor(DT_INT32, TensorShape());
  tensor.scalar<int32>()() = value;
  return tensor;
}

std::vector<int32> Values(const Tensor& tensor) {
  const auto flat = tensor.flat<int32>();
  return std::vector<int32>(flat.data(), flat.data() + flat.size());
}

TEST(CompatBatch, GetsRowsOfAnother) {
  Tensor target(DT_INT32, TensorShape({3, 2, 1}));
  target.flat<int32>().setZero();
  TF_CHECK_OK(batch_util::CopyContiguousSlices(Numbers({5, 2}), 3, 1, 2, &target));
  EXPECT_EQ(Values(target), (std::vector<int32>{0, 0, 6, 7, 8, 9}));
  TF_CHECK_OK(batch_util::CopyContiguousSlices(Numbers({5, 2}), 5, 3, 0, &target));
}

TEST(CompatBatch, RefusesRowsThatAreNotThere) {
  Tensor target(DT_INT32, TensorShape({3, 2}));
  const auto copy = [&](const Tensor& source, int64_t from, int64_t to, int64_t count) {
    return errors::IsFailedPrecondition(batch_util::CopyContiguousSlices(source, from, to, count, &target));
  };
  EXPECT_TRUE(copy(Numbers({5, 2}), 4, 0, 2));
  EXPECT_TRUE(copy(Numbers({5, 2}), 0, 2, 2));
  EXPECT_TRUE(copy(Numbers({5, 3}), 0, 0, 1));
  EXPECT_TRUE(copy(Numbers({5, 2}), -1, 0, 1));
}

TEST(CompatBatch, GetsSmallerElements) {
  Tensor batch(DT_INT32, TensorShape({2, 2, 3}));
  TF_CHECK_OK(batch_util::SetElementZero(&batch, Scalar(-1)));
  TF_CHECK_OK(batch_util::CopyElementToLargerSlice(Numbers({2, 2}), &batch, 1));
  EXPECT_EQ(Values(batch), (std::vector<int32>{-1, -1, -1, -1, -1, -1, 0, 1, -1, 2, 3, -1}));
  // TensorFlow compares only the numbers of elements, and writes out of bounds here.
  EXPECT_FALSE(batch_util::CopyElementToLargerSlice(Numbers({3, 2}), &batch, 1).ok());
  EXPECT_FALSE(batch_util::CopyElementToLargerSlice(Numbers({2}), &batch, 1).ok());
  Tensor vector = Numbers({2});
  TF_CHECK_OK(batch_util::CopyElementToLargerSlice(Scalar(7), &vector, 1));
  EXPECT_EQ(Values(vector), (std::vector<int32>{0, 7}));
}

TEST(CompatBatch, GivesTextsAway) {
  Tensor batch(DT_STRING, TensorShape({2, 1})), element(DT_STRING, TensorShape({1}));
  batch.flat<tstring>()(1) = "a text that is longer than a small one";
  TF_CHECK_OK(batch_util::MaybeMoveSliceToElement(&batch, &element, 1));
  EXPECT_EQ(element.flat<tstring>()(0), "a text that is longer than a small one");
}

TEST(CompatTensors, AreShapes) {
  TensorShape shape;
  TF_CHECK_OK(tensor::MakeShape(Numbers({3}), &shape));
  EXPECT_EQ(shape, TensorShape({0, 1, 2}));
  EXPECT_TRUE(errors::IsInvalidArgument(tensor::MakeShape(Scalar(3), &shape)));
  EXPECT_TRUE(errors::IsInvalidArgument(tensor::MakeShape(Tensor(DT_FLOAT, TensorShape({1})), &shape)));
}

TEST(CompatTensorSlice, HasAShape) {
  TensorSlice slice({{1, 2}, {0, 3}});
  EXPECT_EQ(slice.end(0), 3);
  EXPECT_FALSE(slice.IsFullAt(1));
  TensorSlice rows(2);
  rows.set_start(0, 4);
  rows.set_length(0, 1);
  EXPECT_EQ(rows.start(0) + rows.length(0), 5);
  EXPECT_TRUE(rows.IsFullAt(1));
  TensorShape shape;
  TF_CHECK_OK(rows.SliceTensorShape(TensorShape({5, 7}), &shape));
  EXPECT_EQ(shape, TensorShape({1, 7}));
  EXPECT_TRUE(errors::IsInternal(rows.SliceTensorShape(TensorShape({4, 7}), &shape)));
  EXPECT_TRUE(errors::IsInternal(rows.SliceTensorShape(TensorShape({5}), &shape)));
  EXPECT_EQ(slice.dims(), 2);
}

struct Word {
  std::string TypeName() const { return "test::Word"; }
  void Encode(VariantTensorData*) const {}
  bool Decode(const VariantTensorData&) { return false; }
  std::string text;
};

TEST(CompatBatch, CopiesVariants) {
  Tensor batch(DT_VARIANT, TensorShape({2}));
  batch.flat<Variant>()(1) = Word{"a text that is longer than a small one"};
  const Tensor copy = tensor::DeepCopy(batch);
  batch.flat<Variant>()(1) = Variant();
  EXPECT_EQ(copy.flat<Variant>()(1).get<Word>()->text, "a text that is longer than a small one");
}

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

// The expected results are those of TensorFlow 2.12.
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
