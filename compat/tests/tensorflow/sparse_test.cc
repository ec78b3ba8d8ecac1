// compat/tests/tensorflow/sparse_test.cc: sparse::SparseTensor and its groups.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tensorflow/core/util/sparse/group_iterator.h"
#include "tensorflow/core/util/sparse/sparse_tensor.h"

namespace tensorflow {
namespace sparse {
namespace {

Tensor Indices(std::initializer_list<std::pair<int64, int64>> rows) {
  Tensor indices(DT_INT64, TensorShape({static_cast<int64>(rows.size()), 2}));
  int64 n = 0;
  for (const auto& [row, column] : rows) {
    indices.matrix<int64>()(n, 0) = row;
    indices.matrix<int64>()(n++, 1) = column;
  }
  return indices;
}
Tensor Values(std::initializer_list<const char*> texts) {
  Tensor values(DT_STRING, TensorShape({static_cast<int64>(texts.size())}));
  int64 n = 0;
  for (const char* text : texts) values.vec<tstring>()(n++) = text;
  return values;
}
// [a . .]
// [. b c]
SparseTensor Example() {
  return SparseTensor(Indices({{0, 0}, {1, 1}, {1, 2}}), Values({"a", "b", "c"}), {2, 3}, {0, 1});
}

// "a@0,0 b@1,1".
std::string Text(const SparseTensor& tensor) {
  std::string text;
  for (size_t n = 0; n < tensor.num_entries(); ++n) {
    const auto ix = tensor.indices().matrix<int64>();
    const int64 at = static_cast<int64>(n);
    strings::StrAppend(&text, n == 0 ? "" : " ", std::string(tensor.values().vec<tstring>()(at)), "@", ix(at, 0), ",",
                       ix(at, 1));
  }
  return text;
}

TEST(SparseTensor, HoldsItsParts) {
  const SparseTensor tensor = Example();
  EXPECT_TRUE(tensor.dims() == 2 && tensor.num_entries() == 3 && tensor.dtype() == DT_STRING);
  EXPECT_EQ(TensorShape(tensor.shape()), TensorShape({2, 3}));
  EXPECT_EQ(tensor.order()[1], 1);
  EXPECT_EQ(tensor.PickDims({1}), std::vector<int64_t>{3});
  EXPECT_TRUE(SparseTensor().dims() == 0 && SparseTensor().num_entries() == 0);
  EXPECT_EQ(VarDimArray({4, 5})[1], 5);
}

TEST(SparseTensor, IsNotMadeOfPartsThatDoNotFit) {
  SparseTensor made;
  const Tensor indices = Indices({{0, 0}}), values = Values({"a"});
  const auto code = [&](const Tensor& ix, const Tensor& v, const SparseTensor::Dims& shape,
                        const SparseTensor::Dims& order) {
    return SparseTensor::Create(ix, v, shape, order, &made).code();
  };
  EXPECT_EQ(code(values, values, {2, 3}, {0, 1}), error::INVALID_ARGUMENT);
  EXPECT_EQ(code(indices, indices, {2, 3}, {0, 1}), error::INVALID_ARGUMENT);
  EXPECT_EQ(code(indices, Values({"a", "b"}), {2, 3}, {0, 1}), error::INVALID_ARGUMENT);
  EXPECT_EQ(code(indices, values, {2}, {0, 1}), error::INVALID_ARGUMENT);
  EXPECT_EQ(code(indices, values, {2, 3}, {0}), error::INVALID_ARGUMENT);
  EXPECT_EQ(code(indices, values, {2, 3}, {0, 2}), error::INVALID_ARGUMENT);
  EXPECT_EQ(made.dims(), 0);
  TF_CHECK_OK(SparseTensor::Create(indices, values, TensorShape({2, 3}), &made));
  gtl::InlinedVector<int64, 8> order = {0, 1};
  TF_CHECK_OK(SparseTensor::Create(indices, values, TensorShape({2, 3}), order, &made));
  EXPECT_EQ(made.num_entries(), 1u);
}

TEST(SparseTensor, ChecksItsIndices) {
  const auto code = [](std::initializer_list<std::pair<int64, int64>> rows, const SparseTensor::Dims& order) {
    return SparseTensor(Indices(rows), Values({"a", "b"}), {2, 3}, order).IndicesValid().code();
  };
  EXPECT_EQ(code({{0, 1}, {1, 0}}, {0, 1}), error::OK);
  EXPECT_EQ(code({{0, 1}, {1, 0}}, {1, 0}), error::INVALID_ARGUMENT);
  EXPECT_EQ(code({{1, 0}, {0, 1}}, {1, 0}), error::OK);
  EXPECT_EQ(code({{0, 1}, {0, 1}}, {0, 1}), error::INVALID_ARGUMENT);
  EXPECT_EQ(code({{0, 1}, {0, 3}}, {0, 1}), error::INVALID_ARGUMENT);
  EXPECT_EQ(code({{-1, 1}, {0, 2}}, {0, 1}), error::INVALID_ARGUMENT);
  EXPECT_EQ(code({{0, 1}, {1, 0}}, {-1, -1}), error::FAILED_PRECONDITION);
}

TEST(SparseTensor, SortsItsEntries) {
  SparseTensor tensor(Indices({{1, 2}, {0, 0}, {1, 1}}), Values({"c", "a", "b"}), {2, 3});
  tensor.Reorder<tstring>({0, 1});
  EXPECT_EQ(Text(tensor), "a@0,0 b@1,1 c@1,2");
  tensor.Reorder<tstring>({1, 0});
  EXPECT_EQ(Text(tensor), "a@0,0 b@1,1 c@1,2");
  EXPECT_EQ(tensor.order()[0], 1);
  TF_CHECK_OK(tensor.IndicesValid());
}

TEST(SparseTensor, GoesThroughGroups) {
  std::string text;
  for (const Group& group : Example().group({0})) {
    strings::StrAppend(&text, group.group()[0], ":", group.group_at(0), " ", group.values<tstring>().size(), " ",
                       std::string(group.values<tstring>()(0)), " ", group.indices()(0, 1), "; ");
  }
  EXPECT_EQ(text, "0:0 1 a 0; 1:1 2 b 1; ");
  const GroupIterable none = SparseTensor(Indices({}), Values({}), {2, 3}, {0, 1}).group({0});
  EXPECT_TRUE(none.begin() == none.end());
  const GroupIterable all = Example().group({});
  GroupIterable::IteratorStep step = all.begin();
  EXPECT_TRUE(step++ != all.end() && step == all.end());
}

TEST(SparseTensor, BecomesDense) {
  Tensor dense(DT_STRING, TensorShape({2, 3}));
  EXPECT_TRUE(Example().ToDense<tstring>(&dense));
  EXPECT_EQ(dense.flat<tstring>()(5), "c");
  EXPECT_EQ(dense.flat<tstring>()(1), "");
  dense.flat<tstring>()(1) = "kept";
  EXPECT_TRUE(Example().ToDense<tstring>(&dense, false));
  EXPECT_EQ(dense.flat<tstring>()(1), "kept");
  Tensor small(DT_STRING, TensorShape({2, 2})), other(DT_INT32, TensorShape({2, 3}));
  EXPECT_FALSE(Example().ToDense<tstring>(&small));
  EXPECT_FALSE(Example().ToDense<int32>(&other));
  EXPECT_FALSE(SparseTensor(Indices({{0, 3}}), Values({"a"}), {2, 3}).ToDense<tstring>(&dense));
}

TEST(SparseTensor, IsJoinedAndParted) {
  const std::vector<SparseTensor> twice{Example(), Example()};
  const SparseTensor joined = SparseTensor::Concat<tstring>(twice);
  EXPECT_EQ(Text(joined), "a@0,0 b@1,1 c@1,2 a@2,0 b@3,1 c@3,2");
  EXPECT_EQ(joined.shape()[0], 4);
  TF_CHECK_OK(joined.IndicesValid());
  std::vector<SparseTensor> parts;
  TF_CHECK_OK(SparseTensor::Split<tstring>(joined, 0, 3, &parts));
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(Text(parts[0]), "a@0,0 b@1,1 c@1,2");
  EXPECT_EQ(Text(parts[1]), "a@0,0");
  EXPECT_EQ(Text(parts[2]), "b@0,1 c@0,2");
  EXPECT_EQ(parts[0].shape()[0] + parts[1].shape()[0] + parts[2].shape()[0], 4);
  EXPECT_EQ(SparseTensor::Split<tstring>(joined, 2, 1, &parts).code(), error::INVALID_ARGUMENT);
  EXPECT_EQ(SparseTensor::Split<tstring>(joined, 0, 5, &parts).code(), error::INVALID_ARGUMENT);
}

}  // namespace
}  // namespace sparse
}  // namespace tensorflow
