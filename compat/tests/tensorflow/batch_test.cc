// compat/tests/tensorflow/batch_test.cc: elements that go into batches and out of them, by TensorFlow's names.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tensorflow/core/framework/tensor.h"
#include "tensorflow/core/framework/tensor_util.h"
#include "tensorflow/core/framework/variant.h"
#include "tensorflow/core/framework/variant_encode_decode.h"
#include "tensorflow/core/framework/variant_tensor_data.h"
#include "tensorflow/core/platform/errors.h"
#include "tensorflow/core/util/batch_util.h"

namespace tensorflow {
namespace {

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
  // TensorFlow compares the numbers of elements alone, and writes elsewhere here.
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

}  // namespace
}  // namespace tensorflow
