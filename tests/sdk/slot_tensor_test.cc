// tests/sdk/slot_tensor_test.cc: tensors of strings in a call: read in place, written to a copy, handed over at the
// end.
// SPDX-License-Identifier: Apache-2.0
#include <thread>

#include "tests/sdk/run_body.h"

namespace opsrun_test {
namespace {

typedef std::vector<std::string> Strings;

// One input "x" and one output "y" of strings.
struct StringTest : BodyTest {
  StringTest() {
    create.In("x", OPSRUN_DT_STRING).Out("y", OPSRUN_DT_STRING);
    call.InStrings({2}, {"one", "two"}).Out(OPSRUN_DT_STRING);
  }
  // Runs the body, which makes an output of these texts.
  void Makes(const Strings& texts, std::function<void(OpKernelContext*)> body) {
    Computes(std::move(body));
    EXPECT_EQ(call.Strings(0), texts);
  }
};

TEST(StringInputs, AreReadInPlace) {
  StringTest().Makes({"one", "two"}, [](OpKernelContext* context) {
    const auto x = context->input(0).flat<tstring>();
    EXPECT_EQ(static_cast<const void*>(x.data()), context->call()->in[0]->data);
    EXPECT_EQ(x(1), "two");
    EXPECT_EQ(&context->input(0), &context->input(0));
    context->set_output(0, context->input(0));
  });
}

TEST(StringInputs, AreReadAsStdStrings) {
  StringTest().Makes({"one", "two"}, [](OpKernelContext* context) {
    const std::string* first = &context->input(0).flat<std::string>()(0);
    std::thread other([context] { EXPECT_EQ(context->input(0).vec<std::string>()(1), "two"); });
    other.join();
    EXPECT_EQ(*first, "one");
    context->set_output(0, context->input(0));
  });
}

TEST(StringInputs, MayBeWrittenToInACopy) {
  StringTest t;
  t.Makes({"mine", "two"}, [](OpKernelContext* context) {
    Tensor mine = context->input(0);
    mine.flat<tstring>()(0) = "mine";
    context->set_output(0, mine);
  });
  EXPECT_EQ(Text(t.call.Input<opsrun_str>(0)[0]), "one");
}

// What was written can be read in every way, also through a const tensor.
TEST(Strings, AreReadAsTheyWereWritten) {
  StringTest t;
  t.Makes({"", "made"}, [](OpKernelContext* context) {
    Tensor made, mine = context->input(0);
    const Tensor &all_made = made, &all_mine = mine;
    OP_REQUIRES_OK(context, context->allocate_temp(DT_STRING, TensorShape({2}), &made));
    EXPECT_EQ(all_made.flat<tstring>()(1), "");
    made.flat<tstring>()(1) = "made";
    EXPECT_EQ(all_made.flat<tstring>()(1), "made");
    mine.flat<tstring>()(0) = "mine";
    EXPECT_EQ(all_mine.flat<tstring>()(0), "mine");
    EXPECT_EQ(all_mine.flat<std::string>()(0), "mine");
    context->set_output(0, made);
  });
  t.Makes({"one", "mine"}, [](OpKernelContext* context) {
    Tensor mine = context->input(0);
    const Tensor& all = mine;
    mine.flat<std::string>()(1) = "mine";
    EXPECT_EQ(all.flat<tstring>()(1), "mine");
    EXPECT_EQ(all.flat<tstring>()(0), "one");
    context->set_output(0, mine);
  });
}

TEST(StringInputs, MayBeKept) {
  StringTest t;
  Tensor kept;
  t.Makes({"one", "two"}, [&kept](OpKernelContext* context) {
    kept = context->input(0);
    context->set_output(0, kept);
  });
  EXPECT_EQ(t.host.held_tensors(), 1);
  EXPECT_EQ(kept.flat<tstring>()(1), "two");
  kept = Tensor();
  EXPECT_EQ(t.host.held_tensors(), 0);
}

// The frame's own bytes change with the next run.
TEST(StringInputs, KeptOnesStayAsTheyWere) {
  StringTest t;
  std::vector<Tensor> kept(2);
  t.Computes([&kept](OpKernelContext* context) {
    kept[0] = context->input(0);
    kept[1] = kept[0];
    context->set_output(0, kept[0]);
  });
  t.call.Input<opsrun_str>(0)[1] = {"changed", 7};
  EXPECT_EQ(kept[0].flat<tstring>()(1), "two");
  EXPECT_EQ(static_cast<const Tensor&>(kept[1]).flat<tstring>()(1), "two");
  EXPECT_NE(kept[0].data(), t.call.Input<void>(0));
}

template <typename S>
void Reverse(OpKernelContext* context) {
  const auto x = context->input(0).flat<S>();
  Tensor* y = NewOutput(context, 0, context->input(0).shape());
  auto out = y->flat<S>();
  for (int64 i = 0; i < x.size(); ++i) out(i) = x(x.size() - 1 - i);
}

TEST(StringOutputs, AreHandedOverAfterCompute) {
  for (auto* body : {&Reverse<tstring>, &Reverse<std::string>}) StringTest().Makes({"two", "one"}, body);
}

TEST(StringOutputs, AreWhatWasAskedForLastToWriteTo) {
  StringTest t;
  t.Makes({"last"}, [](OpKernelContext* context) {
    Tensor* y = NewOutput(context, 0, TensorShape({1}));
    y->flat<std::string>()(0) = "first";
    auto last = y->flat<tstring>();
    EXPECT_EQ(last(0), "first");
    last(0) = "last";
  });
  t.Makes({"last"}, [](OpKernelContext* context) {
    Tensor* y = NewOutput(context, 0, TensorShape({1}));
    y->flat<tstring>()(0) = "first";
    auto last = y->flat<std::string>();
    EXPECT_EQ(last(0), "first");
    last(0) = "last";
  });
}

TEST(StringOutputs, ThatAreNotWrittenAreEmpty) {
  StringTest().Makes({"", "b"}, [](OpKernelContext* context) {
    Tensor* y = NewOutput(context, 0, TensorShape({2}));
    EXPECT_EQ(y->flat<tstring>()(0), "");
    y->flat<tstring>()(1) = "b";
  });
}

TEST(StringOutputs, AreTemporariesToo) {
  StringTest t;
  t.Makes({"alone"}, [](OpKernelContext* context) {
    Tensor made;
    OP_REQUIRES_OK(context, context->allocate_temp(DT_STRING, TensorShape({}), &made));
    made.scalar<tstring>()() = "alone";
    context->set_output(0, made);
  });
  EXPECT_EQ(t.host.held_tensors(), 0);
}

TEST(StringOutputs, MayBeAssignedATensor) {
  StringTest().Makes({"other"}, [](OpKernelContext* context) {
    Tensor* y = NewOutput(context, 0, TensorShape({7}));
    Tensor made;
    OP_REQUIRES_OK(context, context->allocate_temp(DT_STRING, TensorShape({1}), &made));
    made.vec<tstring>()(0) = "other";
    *y = made;
  });
}

TEST(StringOutputs, AreNeverForwarded) {
  StringTest t;
  t.call.Forwardable(0);
  t.Makes({"one", ""}, [](OpKernelContext* context) {
    Tensor* y = nullptr;
    int forwarded = 0;
    OP_REQUIRES_OK(context, context->forward_input_or_allocate_output({0}, 0, TensorShape({2}), &y, &forwarded));
    EXPECT_EQ(forwarded, -1);
    y->flat<tstring>()(0) = context->input(0).flat<tstring>()(0);
  });
}

TEST(Tensors, OfStringsTellWhatTheyHold) {
  StringTest().Computes([](OpKernelContext* context) {
    EXPECT_EQ(context->input(0).DebugString(), "Tensor<type: string shape: [2] values: one two>");
    EXPECT_EQ(context->input(0).TotalBytes(), 0u);
    context->set_output(0, context->input(0));
  });
}

// Two inputs are kept, and the host cannot keep one of them: the first or the second.
TEST(StringInputs, ThatCannotAllBeKeptFailTheCall) {
  for (int call = 0; call < 2; ++call) {
    BodyTest t;
    t.create.In("x", OPSRUN_DT_STRING).In("y", OPSRUN_DT_STRING);
    t.call.InStrings({1}, {"one"}).InStrings({1}, {"two"});
    std::vector<Tensor> kept;
    t.ComputeFails("8:", [&](OpKernelContext* context) {
      kept = {context->input(0), context->input(1)};
      t.host.FailIn(call);
    });
  }
}

TEST(Tensors, OfComplexNumbersTellWhatTheyHold) {
  BodyTest t;
  t.call.In<double>({2}, {1, 2, 3, 4}, OPSRUN_DT_COMPLEX128).In<float>({2}, {5, 6, 7, 8}, OPSRUN_DT_COMPLEX64);
  t.Computes([](OpKernelContext* context) {
    EXPECT_EQ(context->input(0).SummarizeValue(9), "(1,2) (3,4)");
    EXPECT_EQ(context->input(1).SummarizeValue(1), "(5,6) ...");
  });
}

}  // namespace
}  // namespace opsrun_test
