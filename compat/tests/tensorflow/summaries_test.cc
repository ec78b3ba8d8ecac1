// compat/tests/tensorflow/summaries_test.cc: attrs as text, slices of tensors, and names of devices, under TensorFlow's
// names.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "every_header.h"

namespace tensorflow {
namespace {

template <typename T>
AttrValue Attr(const T& value) {
  AttrValue attr;
  SetAttrValue(value, &attr);
  return attr;
}

TEST(CompatAttrs, AreText) {
  EXPECT_EQ(SummarizeAttrValue(Attr(int64_t{-7})), "-7");
  EXPECT_EQ(SummarizeAttrValue(Attr(0.5f)), "0.5");
  EXPECT_EQ(SummarizeAttrValue(Attr(true)), "true");
  EXPECT_EQ(SummarizeAttrValue(Attr(std::string("a\"\n"))), "\"a\\\"\\n\"");
  EXPECT_EQ(SummarizeAttrValue(Attr(DT_HALF)), "DT_HALF");
  EXPECT_EQ(SummarizeAttrValue(Attr(PartialTensorShape({-1, 3}))), "[?,3]");
}

TEST(CompatAttrs, OfListsAreText) {
  EXPECT_EQ(SummarizeAttrValue(Attr(std::vector<std::string>{"a", "b"})), "[\"a\", \"b\"]");
  EXPECT_EQ(SummarizeAttrValue(Attr(std::vector<DataType>())), "[]");
  NameAttrList function;
  function.set_name("fn");
  SetAttrValue(int64_t{3}, &(*function.mutable_attr())["n"]);
  EXPECT_EQ(SummarizeAttrValue(Attr(function)), "fn[n=3]");
  EXPECT_LT(SummarizeAttrValue(Attr(std::vector<int64_t>(1000, 1))).size(), 100u);
  EXPECT_LT(SummarizeAttrValue(Attr(std::string(1000, 'x'))).size(), 100u);
}

TEST(CompatAttrs, AreCompared) {
  EXPECT_TRUE(AreAttrValuesEqual(Attr(DT_INT32), Attr(DT_INT32)));
  EXPECT_FALSE(AreAttrValuesEqual(Attr(int64_t{3}), Attr(DT_INT32)));
  EXPECT_FALSE(AreAttrValuesEqual(Attr(std::vector<float>{1}), Attr(std::vector<float>{1, 2})));
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

TEST(CompatDevices, HaveNamesWithParts) {
  DeviceNameUtils::ParsedName name;
  ASSERT_TRUE(DeviceNameUtils::ParseFullName("/job:worker/replica:1/task:2/device:GPU:3", &name));
  EXPECT_TRUE(name.has_job && name.has_replica && name.has_task && name.has_type && name.has_id);
  EXPECT_EQ(DeviceNameUtils::ParsedNameToString(name),
            DeviceNameUtils::FullName(name.job, name.replica, name.task, name.type, name.id));
  ASSERT_TRUE(DeviceNameUtils::ParseFullName("/gpu:*", &name));
  EXPECT_TRUE(name.type == "GPU" && !name.has_id);
  EXPECT_FALSE(DeviceNameUtils::ParseFullName("/device:GPU:x", &name));
  ASSERT_TRUE(DeviceNameUtils::ParseLocalName("CPU:1", &name));
  EXPECT_EQ(DeviceNameUtils::LocalName(name.type, name.id), "/device:CPU:1");
  EXPECT_FALSE(DeviceNameUtils::ParseLocalName("CPU", &name));
}

}  // namespace
}  // namespace tensorflow
