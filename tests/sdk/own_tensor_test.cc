// tests/sdk/own_tensor_test.cc: tensors that a plugin makes itself, and views of others.
// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <functional>
#include <thread>
#include <vector>

#include "opsrun/resource_mgr.h"
#include "opsrun/tensor.h"
#include "tests/sdk/run_body.h"

namespace opsrun_test {
namespace {

typedef std::vector<int64_t> Sizes;
typedef std::vector<int32_t> Ints;

// An int32 input of shape [3,2], and an output, planned with a shape or left to the kernel.
struct OwnTensorTest : BodyTest {
  OwnTensorTest() { Begin().Out(OPSRUN_DT_INT32); }
  explicit OwnTensorTest(const Sizes& planned) { Begin().Planned(OPSRUN_DT_INT32, planned); }

  // Runs the body, which makes this output.
  void Makes(const Sizes& shape, const Ints& values, std::function<void(OpKernelContext*)> body) {
    Computes(std::move(body));
    EXPECT_EQ(call.Shape(0), shape);
    EXPECT_EQ(call.Values<int32_t>(0), values);
  }

 private:
  TestCall& Begin() {
    create.In("x", OPSRUN_DT_INT32).Out("y", OPSRUN_DT_INT32);
    return call.In<int32_t>({3, 2}, {1, 2, 3, 4, 5, 6});
  }
};

TEST(OwnTensor, IsAnOutputOfItsShape) {
  OwnTensorTest().Makes({2, 2}, {0, 10, 20, 30}, [](OpKernelContext* context) {
    Tensor made(DT_INT32, {2, 2});
    for (int i = 0; i < 4; ++i) made.flat<int32>()(i) = 10 * i;
    context->set_output(0, made);
  });
}

TEST(OwnTensor, FillsAPlannedOutput) {
  OwnTensorTest({6}).Makes({6}, {1, 2, 3, 4, 5, 6}, [](OpKernelContext* context) {
    Tensor reshaped;
    EXPECT_FALSE(reshaped.CopyFrom(context->input(0), {5}));
    EXPECT_TRUE(reshaped.CopyFrom(context->input(0), {6}));
    context->set_output(0, reshaped);
  });
}

TEST(OwnTensor, ReplacesAnAllocatedOutput) {
  OwnTensorTest().Makes({2, 3}, {1, 2, 3, 4, 5, 6}, [](OpKernelContext* context) {
    EXPECT_TRUE(NewOutput(context, 0, {3, 2})->CopyFrom(context->input(0), {2, 3}));
  });
}

TEST(OwnTensor, ShowsPartsOfAnother) {
  OwnTensorTest().Makes({2}, {3, 4}, [](OpKernelContext* context) {
    const Tensor& x = context->input(0);
    EXPECT_EQ(x.Slice(1, 3).shape(), TensorShape({2, 2}));
    EXPECT_EQ(x.Slice(1, 3).flat<int32>()(0), 3);
    EXPECT_EQ(x.Slice(2, 2).NumElements(), 0);
    EXPECT_EQ(x.SubSlice(2).shape(), TensorShape({2}));
    EXPECT_EQ(x.Slice(1, 3).SubSlice(1).vec<int32>()(1), 6);
    context->set_output(0, x.SubSlice(1));
  });
}

TEST(OwnTensor, ViewsKeepWhatTheyShow) {
  OwnTensorTest().Makes({2}, {2, 3}, [](OpKernelContext* context) {
    Tensor part;
    {
      Tensor whole(DT_INT32, {4});
      for (int i = 0; i < 4; ++i) whole.flat<int32>()(i) = i;
      part = whole.Slice(2, 4);
    }
    context->set_output(0, part);
  });
}

// What a kernel writes to copies and views of its output is in the output, wherever the host has allocated it.
TEST(OutputTensor, IsWrittenThroughCopiesAndViews) {
  for (OwnTensorTest& t : std::array<OwnTensorTest, 2>{OwnTensorTest(), OwnTensorTest({3, 2})}) {
    t.Makes({3, 2}, {7, 10, 2, 3, 40, 5}, [](OpKernelContext* context) {
      Tensor* output = NewOutput(context, 0, {3, 2});
      Tensor reshaped, copy = *output, moved = std::move(copy);
      EXPECT_TRUE(reshaped.CopyFrom(*output, {6}));
      for (int i = 0; i < 6; ++i) reshaped.flat<int32>()(i) = i;
      output->Slice(1, 3).SubSlice(1).vec<int32>()(0) = 40;
      moved.matrix<int32>()(0, 1) = 10;
      output->matrix<int32>()(0, 0) = 7;
      EXPECT_TRUE(moved.SharesBufferWith(*output));
      EXPECT_EQ(output->SummarizeValue(9), "7 10 2 3 40 5");
    });
  }
}

TEST(OutputTensor, OutlivesTheCallInCopiesAndViews) {
  OwnTensorTest t({4});
  Tensor copy, view;
  t.Computes([&](OpKernelContext* context) {
    Tensor* output = NewOutput(context, 0, {4});
    for (int i = 0; i < 4; ++i) output->flat<int32>()(i) = i;
    copy = *output;
    view = copy.Slice(1, 3).Slice(1, 2);
    const Tensor dropped = output->Slice(0, 1);
  });
  EXPECT_EQ(copy.SummarizeValue(9), "0 1 2 3");
  EXPECT_EQ(view.SummarizeValue(9), "2");
  EXPECT_EQ(copy.Slice(3, 4).SummarizeValue(9), "3");
  copy = Tensor();
  EXPECT_EQ(view.SummarizeValue(9), "2");
}

TEST(OutputTensor, OfStringsIsWrittenThroughViews) {
  BodyTest t;
  t.create.Out("y", OPSRUN_DT_STRING).Out("z", OPSRUN_DT_STRING);
  t.call.Out(OPSRUN_DT_STRING).Out(OPSRUN_DT_STRING);
  t.Computes([](OpKernelContext* context) {
    Tensor *y = nullptr, *z = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, {2, 2}, &y));
    OP_REQUIRES_OK(context, context->allocate_output(1, {2}, &z));
    Tensor flat;
    EXPECT_TRUE(flat.CopyFrom(*y, {4}));
    for (int i = 0; i < 4; ++i) flat.flat<tstring>()(i) = internal::Format("%d", i);
    y->SubSlice(1).vec<tstring>()(1) = "last";
    z->Slice(1, 2).flat<std::string>()(0) = "second";
  });
  EXPECT_EQ(t.call.Strings(0), (std::vector<std::string>{"0", "1", "2", "last"}));
  EXPECT_EQ(t.call.Strings(1), (std::vector<std::string>{"", "second"}));
}

TEST(OwnTensor, APartOfAnInputOfStringsIsAnOutput) {
  BodyTest t;
  t.create.In("x", OPSRUN_DT_STRING).Out("y", OPSRUN_DT_STRING);
  t.call.InStrings({3}, {"a", "b", "c"}).Out(OPSRUN_DT_STRING);
  t.Computes([](OpKernelContext* context) { context->set_output(0, context->input(0).Slice(1, 3)); });
  EXPECT_EQ(t.call.Strings(0), (std::vector<std::string>{"b", "c"}));
}

TEST(OutputTensor, MayBeReplacedWhileACopyLives) {
  OwnTensorTest().Makes({1, 2}, {1, 2}, [](OpKernelContext* context) {
    Tensor* output = NewOutput(context, 0, {2});
    output->flat<int32>()(0) = output->flat<int32>()(1) = 5;
    const Tensor copy = *output;
    *output = context->input(0).Slice(0, 1);
    EXPECT_EQ(copy.SummarizeValue(9), "5 5");
  });
}

TEST(OutputTensor, IsCopiedByManyThreads) {
  OwnTensorTest t({64});
  t.Computes([](OpKernelContext* context) {
    Tensor* output = NewOutput(context, 0, {64});
    const Tensor shared = *output;
    std::vector<std::thread> threads;
    for (int k = 0; k < 4; ++k) {
      threads.emplace_back([&shared, k] {
        for (int i = k; i < 64; i += 4) shared.Slice(i, i + 1).flat<int32>()(0) = i;
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
  EXPECT_EQ(t.call.Values<int32_t>(0)[63], 63);
}

TEST(OutputTensor, OfAFailedCallIsKeptToo) {
  OwnTensorTest t({1});
  Tensor copy;
  t.ComputeFails("13:", [&](OpKernelContext* context) {
    Tensor* output = NewOutput(context, 0, {1});
    output->flat<int32>()(0) = 3;
    copy = *output;
    context->SetStatus(errors::Internal("failed"));
  });
  EXPECT_EQ(copy.SummarizeValue(9), "3");
}

TEST(OwnTensor, ASliceOutsideFailsTheCall) {
  OwnTensorTest().ComputeFails("3:", [](OpKernelContext* context) { context->input(0).Slice(2, 4); });
  OwnTensorTest().ComputeFails("3:", [](OpKernelContext* context) { context->input(0).SubSlice(-1); });
}

TEST(OwnTensor, OfAnotherTypeIsNoOutput) {
  OwnTensorTest().ComputeFails("3:", [](OpKernelContext* context) { context->set_output(0, Tensor(DT_FLOAT, {1})); });
}

TEST(OwnTensor, HoldsStringsAndRefusesWhatNoTensorHolds) {
  OwnTensorTest t;
  t.ComputeFails("3:", [](OpKernelContext*) {
    Tensor words(DT_STRING, {3});
    words.flat<tstring>()(2) = "cherry";
    EXPECT_EQ(words.Slice(1, 3).flat<tstring>()(1), "cherry");
    Tensor column;
    EXPECT_TRUE(column.CopyFrom(words, {3, 1}));
    EXPECT_EQ(column.matrix<tstring>()(2, 0), "cherry");
    Tensor none(DT_INT4, {1});
  });
}

TEST(OwnTensor, IsAScalarOfAValue) {
  EXPECT_EQ(Tensor(2.5f).scalar<float>()(), 2.5f);
  EXPECT_EQ(Tensor(int64{7}).dtype(), DT_INT64);
  EXPECT_EQ(Tensor(true).shape(), TensorShape({}));
  EXPECT_EQ(Tensor("text").scalar<tstring>()(), "text");
  EXPECT_EQ(Tensor(std::string("text")).scalar<tstring>()(), "text");
  EXPECT_EQ(Tensor(nullptr, DT_INT32, TensorShape({3})).dim_size(0), 3);
}

TEST(OwnTensor, SeesElementsOfAnotherType) {
  OwnTensorTest t;
  t.Computes([](OpKernelContext* context) {
    const Tensor& x = context->input(0);
    Tensor bytes, floats;
    OP_REQUIRES_OK(context, bytes.BitcastFrom(x, DT_UINT8, TensorShape({3, 2, 4})));
    EXPECT_EQ(bytes.dtype(), DT_UINT8);
    EXPECT_EQ((bytes.tensor<uint8, 3>()(2, 1, 0)), 6);
    floats.UnsafeCopyFromInternal(x, DT_FLOAT, TensorShape({6}));
    EXPECT_EQ((floats.bit_casted_tensor<int32, 1>()(5)), 6);
    EXPECT_EQ(floats.BitcastFrom(x, DT_DOUBLE, TensorShape({6})).code(), error::INVALID_ARGUMENT);
    EXPECT_EQ(floats.BitcastFrom(x, DT_STRING, TensorShape({6})).code(), error::INVALID_ARGUMENT);
    EXPECT_EQ(floats.BitcastFrom(Tensor(), DT_DOUBLE, TensorShape({int64{1} << 61})).code(), error::INVALID_ARGUMENT);
    EXPECT_THROW(Tensor(DT_DOUBLE, TensorShape({int64{1} << 61})), std::bad_alloc);
    for (int type : {-1, 40, 99, 101}) {  // no such types, and a reference
      EXPECT_EQ(floats.BitcastFrom(Tensor(), DataType(type), TensorShape({0})).code(), error::INVALID_ARGUMENT) << type;
    }
    context->set_output(0, x);
  });
}

}  // namespace
}  // namespace opsrun_test
