// tests/sdk/own_tensor_test.cc: tensors that a plugin makes itself, and views of others.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/resource_mgr.h"
#include "opsrun/tensor.h"
#include "tests/sdk/run_body.h"

namespace opsrun_test {
namespace {

struct OwnTensorTest : BodyTest {
  OwnTensorTest() {
    create.In("x", OPSRUN_DT_INT32).Out("y", OPSRUN_DT_INT32);
    call.In<int32_t>({3, 2}, {1, 2, 3, 4, 5, 6});
  }
};

TEST(OwnTensor, IsAnOutputOfItsShape) {
  OwnTensorTest t;
  t.call.Out(OPSRUN_DT_INT32);
  EXPECT_EQ(t.Compute([](OpKernelContext* context) {
    Tensor made(DT_INT32, {2, 2});
    for (int i = 0; i < 4; ++i) made.flat<int32>()(i) = 10 * i;
    context->set_output(0, made);
  }),
            "");
  EXPECT_EQ(t.call.Shape(0), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(t.call.Values<int32_t>(0), (std::vector<int32_t>{0, 10, 20, 30}));
}

TEST(OwnTensor, FillsAPlannedOutput) {
  OwnTensorTest t;
  t.call.Planned(OPSRUN_DT_INT32, {6});
  EXPECT_EQ(t.Compute([](OpKernelContext* context) {
    Tensor reshaped;
    EXPECT_FALSE(reshaped.CopyFrom(context->input(0), {5}));
    EXPECT_TRUE(reshaped.CopyFrom(context->input(0), {6}));
    context->set_output(0, reshaped);
  }),
            "");
  EXPECT_EQ(t.call.Values<int32_t>(0), (std::vector<int32_t>{1, 2, 3, 4, 5, 6}));
}

TEST(OwnTensor, ReplacesAnAllocatedOutput) {
  OwnTensorTest t;
  t.call.Out(OPSRUN_DT_INT32);
  EXPECT_EQ(t.Compute([](OpKernelContext* context) {
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, {3, 2}, &output));
    EXPECT_TRUE(output->CopyFrom(context->input(0), {2, 3}));
  }),
            "");
  EXPECT_EQ(t.call.Shape(0), (std::vector<int64_t>{2, 3}));
}

TEST(OwnTensor, ShowsPartsOfAnother) {
  OwnTensorTest t;
  t.call.Out(OPSRUN_DT_INT32);
  EXPECT_EQ(t.Compute([](OpKernelContext* context) {
    const Tensor& x = context->input(0);
    EXPECT_EQ(x.Slice(1, 3).shape(), TensorShape({2, 2}));
    EXPECT_EQ(x.Slice(1, 3).flat<int32>()(0), 3);
    EXPECT_EQ(x.Slice(2, 2).NumElements(), 0);
    EXPECT_EQ(x.SubSlice(2).shape(), TensorShape({2}));
    EXPECT_EQ(x.Slice(1, 3).SubSlice(1).vec<int32>()(1), 6);
    context->set_output(0, x.SubSlice(1));
  }),
            "");
  EXPECT_EQ(t.call.Values<int32_t>(0), (std::vector<int32_t>{3, 4}));
}

TEST(OwnTensor, ViewsKeepWhatTheyShow) {
  OwnTensorTest t;
  t.call.Out(OPSRUN_DT_INT32);
  EXPECT_EQ(t.Compute([](OpKernelContext* context) {
    Tensor part;
    {
      Tensor whole(DT_INT32, {4});
      for (int i = 0; i < 4; ++i) whole.flat<int32>()(i) = i;
      part = whole.Slice(2, 4);
    }
    EXPECT_EQ(part.flat<int32>()(1), 3);
    context->set_output(0, part);
  }),
            "");
}

TEST(OwnTensor, ASliceOutsideFailsTheCall) {
  OwnTensorTest t;
  t.call.Out(OPSRUN_DT_INT32);
  EXPECT_EQ(t.Compute([](OpKernelContext* context) { context->input(0).Slice(2, 4); }).substr(0, 2), "3:");
  EXPECT_EQ(t.Compute([](OpKernelContext* context) { context->input(0).SubSlice(-1); }).substr(0, 2), "3:");
}

TEST(OwnTensor, OfAnotherTypeIsNoOutput) {
  OwnTensorTest t;
  t.call.Out(OPSRUN_DT_INT32);
  EXPECT_EQ(t.Compute([](OpKernelContext* context) { context->set_output(0, Tensor(DT_FLOAT, {1})); }).substr(0, 2),
            "3:");
}

TEST(OwnTensor, HoldsStringsAndRefusesWhatNoTensorHolds) {
  OwnTensorTest t;
  t.call.Out(OPSRUN_DT_INT32);
  EXPECT_EQ(t.Compute([](OpKernelContext*) {
               Tensor words(DT_STRING, {3});
               words.flat<tstring>()(2) = "cherry";
               EXPECT_EQ(words.Slice(1, 3).flat<tstring>()(1), "cherry");
               Tensor column;
               EXPECT_TRUE(column.CopyFrom(words, {3, 1}));
               EXPECT_EQ(column.matrix<tstring>()(2, 0), "cherry");
               Tensor none(DT_INT4, {1});
             }).substr(0, 2),
            "3:");
}

}  // namespace
}  // namespace opsrun_test
