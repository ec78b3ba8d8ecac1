// tests/sdk/op_kernel_context_test.cc: inputs, outputs, forwarding and statuses of one call.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/op_kernel_context.h"

#include <stdexcept>
#include <thread>

#include "tests/sdk/run_body.h"

namespace opsrun_test {
namespace {

// One int32 input "x" of shape [2] and one output "y", planned with a shape or left to the kernel.
struct UnaryTest : BodyTest {
  UnaryTest() {
    create.In("x", OPSRUN_DT_INT32).Out("y", OPSRUN_DT_INT32);
    call.In<int32_t>({2}, {7, 8}).Out(OPSRUN_DT_INT32);
  }
  explicit UnaryTest(const std::vector<int64_t>& planned) {
    create.In("x", OPSRUN_DT_INT32).Out("y", OPSRUN_DT_INT32);
    call.In<int32_t>({2}, {7, 8}).Planned(OPSRUN_DT_INT32, planned);
  }
  // Runs the body, which makes an output of these numbers.
  void Makes(const std::vector<int32_t>& numbers, std::function<void(OpKernelContext*)> body) {
    Computes(std::move(body));
    EXPECT_EQ(call.Values<int32_t>(0), numbers);
  }
};

void CopyInput(OpKernelContext* context) {
  Tensor* output = NewOutput(context, 0, context->input(0).shape());
  output->flat<int32>() = context->input(0).flat<int32>();
}

TEST(Inputs, AreReferencesIntoTheFrame) {
  UnaryTest({2}).Makes({7, 8}, [](OpKernelContext* context) {
    EXPECT_EQ(static_cast<const void*>(&context->input(0)), static_cast<const void*>(context->call()->in));
    CopyInput(context);
  });
}

TEST(Inputs, AreFoundByName) {
  BodyTest t;
  t.create.In("x", OPSRUN_DT_INT32).InList("l", {OPSRUN_DT_INT32, OPSRUN_DT_INT32});
  t.call.In<int32_t>({}, {1}).In<int32_t>({}, {2}).In<int32_t>({}, {3});
  t.ComputeFails("3: The input 'l' is a list; a single tensor was asked for", [](OpKernelContext* context) {
    const Tensor* x = nullptr;
    OP_REQUIRES_OK(context, context->input("x", &x));
    EXPECT_EQ(x->scalar<int32>()(), 1);
    OpInputList list;
    OP_REQUIRES_OK(context, context->input_list("l", &list));
    int32 sum = 0;
    for (const Tensor& tensor : list) sum += tensor.scalar<int32>()();
    EXPECT_EQ(sum, 5);
    OP_REQUIRES_OK(context, context->input_list("x", &list));
    EXPECT_EQ(list.size(), 1);
    OP_REQUIRES_OK(context, context->input("l", &x));
  });
}

TEST(Outputs, ThatCannotBeMadeFailTheCall) {
  const struct {
    std::vector<int64_t> planned;
    const char* failure;
    void (*body)(OpKernelContext*);
  } rows[] = {
      {{2}, "13: The kernel asks for input 1; it has 1", [](OpKernelContext* context) { context->input(1); }},
      {{3},
       "3: The kernel allocates output 0 ('y') with shape [2]; the shape function says [3] "
       "(-DOPSRUN_IGNORE_SHAPE_FNS compiles the plugin without it) [output:y]",
       &CopyInput},
      {{2},
       "13: The kernel makes output 0 ('y') twice [output:y]",
       [](OpKernelContext* context) {
         CopyInput(context);
         CopyInput(context);
       }},
      {{2}, "13: The kernel did not make output 0 ('y') [output:y]", [](OpKernelContext*) {}},
      {{2}, "13: The kernel makes output 5; it has 1", [](OpKernelContext* context) { NewOutput(context, 5, {}); }}};
  for (const auto& row : rows) UnaryTest(row.planned).ComputeFails(row.failure, row.body);
}

TEST(Outputs, AreSetOnceByName) {
  UnaryTest().ComputeFails("13: The kernel makes output 0 ('y') twice [output:y]", [](OpKernelContext* context) {
    EXPECT_TRUE(context->set_output("y", context->input(0)).ok());
    OP_REQUIRES_OK(context, context->set_output("y", context->input(0)));
  });
}

// The first input that may be forwarded is.
TEST(Outputs, MayBeAnyOfTheNamedInputs) {
  for (const int free : {0, 1, 2, -1}) {
    BodyTest t;
    t.create.In("a", OPSRUN_DT_INT32).In("b", OPSRUN_DT_INT32).In("c", OPSRUN_DT_INT32).Out("y", OPSRUN_DT_INT32);
    t.call.In<int32_t>({1}, {0}).In<int32_t>({1}, {1}).In<int32_t>({1}, {2}).Out(OPSRUN_DT_INT32);
    if (free >= 0) t.call.Forwardable(static_cast<uint32_t>(free));
    for (const bool by_name : {true, false}) {
      t.Computes([&](OpKernelContext* context) {
        Tensor* y = nullptr;
        int forwarded = 7;
        if (by_name) {
          OP_REQUIRES_OK(context,
                         context->forward_input_or_allocate_output({"a", "b", "c"}, "y", TensorShape({1}), &y));
        } else {
          OP_REQUIRES_OK(context,
                         context->forward_input_or_allocate_output({0, 1, 2}, 0, TensorShape({1}), &y, &forwarded));
          EXPECT_EQ(forwarded, free);
        }
        for (int i = 0; i < 3; ++i) EXPECT_EQ(y->SharesBufferWith(context->input(i)), i == free);
      });
    }
  }
}

TEST(Outputs, MayBeAnyOfTheNamedOutputs) {
  BodyTest t;
  t.create.In("x", OPSRUN_DT_INT32).Out("y", OPSRUN_DT_INT32).Out("z", OPSRUN_DT_INT32);
  t.call.In<int32_t>({1}, {7}).Out(OPSRUN_DT_INT32).Out(OPSRUN_DT_INT32).Forwardable(0);
  const auto forward = [&](const char* failure, const char* in, const char* out) {
    t.ComputeFails(failure, [=](OpKernelContext* context) {
      Tensor *first = NewOutput(context, 0, TensorShape({3})), *second = nullptr;
      OP_REQUIRES_OK(context, context->forward_input_or_allocate_output({in}, out, TensorShape({1}), &second));
      EXPECT_EQ(first->NumElements(), 3);
      EXPECT_EQ(second->flat<int32>()(0), 7);
    });
  };
  forward("", "x", "z");
  forward("3:", "x", "absent");
  forward("3:", "absent", "z");
}

// All arguments, singles and lists, at their own indices.
TEST(Outputs, AreBlamedByTheNameOfTheirArgument) {
  const char* const names[] = {"a", "l", "l", "b", "m"};
  for (int missing = 0; missing < 5; ++missing) {
    BodyTest t;
    t.create.Out("a", OPSRUN_DT_INT32).OutList("none", {}).OutList("l", {OPSRUN_DT_INT32, OPSRUN_DT_INT32});
    t.create.Out("b", OPSRUN_DT_INT32).OutList("m", {OPSRUN_DT_INT32});
    for (int i = 0; i < 5; ++i) t.call.Planned(OPSRUN_DT_INT32, {});
    const std::string said = t.Compute([=](OpKernelContext* context) {
      for (int i = 0; i < 5; ++i) {
        Tensor* output = nullptr;
        if (i != missing) OP_REQUIRES_OK(context, context->allocate_output(i, {}, &output));
      }
    });
    EXPECT_NE(said.find(std::string("[output:") + names[missing] + "]"), std::string::npos) << said;
  }
}

TEST(Outputs, ThatAreRefusedAreGivenBackOnce) {
  UnaryTest t;
  t.ComputeFails("3:", [](OpKernelContext* context) {
    Tensor* output = NewOutput(context, "y", {2});
    Tensor floats;
    OP_REQUIRES_OK(context, context->allocate_temp(DT_FLOAT, {2}, &floats));
    *output = floats;
  });
  EXPECT_EQ(t.host.held_tensors(), 0);
}

// An output belongs to the frame: moving from its Tensor does not change it.
TEST(Outputs, StayWhereTheyAreMovedFrom) {
  UnaryTest().Makes({4, 4}, [](OpKernelContext* context) {
    Tensor* output = NewOutput(context, 0, {2});
    const Tensor taken = std::move(*output);
    EXPECT_EQ(taken.NumElements(), 2);
    output->flat<int32>().setConstant(4);
  });
}

TEST(Forwarding, TakesTheFirstInputThatMayBeReused) {
  const struct {
    int inputs;
    std::vector<uint32_t> forwardable;
    std::vector<int> candidates;
    int used;
  } rows[] = {{2, {1}, {-1, 99, 0, 1}, 1},
              {65, {0, 63}, {64, 63}, 63},  // a call describes the first 64 inputs
              {1, {1, 2}, {1, 2}, -1}};     // bits beyond the last input are ignored
  for (const auto& row : rows) {
    BodyTest t;
    t.create.InList("l", std::vector<int32_t>(static_cast<size_t>(row.inputs), OPSRUN_DT_INT32))
        .Out("y", OPSRUN_DT_INT32);
    for (int i = 0; i < row.inputs; ++i) t.call.In<int32_t>({2}, {i, i});
    t.call.Out(OPSRUN_DT_INT32);
    for (const uint32_t i : row.forwardable) t.call.Forwardable(i);
    t.Computes([&row](OpKernelContext* context) {
      Tensor* output = nullptr;
      int used = -2;
      OP_REQUIRES_OK(context, context->forward_input_or_allocate_output(row.candidates, 0, {2}, &output, &used));
      EXPECT_EQ(used, row.used) << row.inputs;
      EXPECT_EQ(output->NumElements(), 2);
      EXPECT_TRUE(used < 0 || output->SharesBufferWith(context->input(used)));
    });
  }
}

TEST(ContextStatus, KeepsTheFirstOfSeveralThreads) {
  BodyTest t;
  t.ComputeFails("10: one", [](OpKernelContext* context) {
    std::thread other([context] { context->SetStatus(errors::Aborted("one")); });
    other.join();
    context->SetStatus(errors::Internal("two"));
    EXPECT_EQ(context->status().code(), error::ABORTED);
  });
}

TEST(ContextStatus, ComesFromRequirementsInHelpers) {
  BodyTest t;
  const auto helper = [](OpKernelContext* context, const void* pointer) {
    if (pointer == nullptr) OP_REQUIRES(context, pointer, errors::InvalidArgument("no pointer"));
  };
  t.ComputeFails("3: no pointer", [&](OpKernelContext* context) {
    helper(context, nullptr);
    EXPECT_FALSE(context->status().ok());
  });
}

TEST(ContextStatus, StopsWhatComputeThrows) {
  BodyTest().ComputeFails("13: The plugin threw an exception: far",
                          [](OpKernelContext*) { throw std::out_of_range("far"); });
}

TEST(Cancellation, IsAskedOfTheHost) {
  BodyTest t;
  t.Computes([&t](OpKernelContext* context) {
    EXPECT_FALSE(context->IsCancelled());
    t.host.Cancel();
    EXPECT_TRUE(context->IsCancelled());
  });
}

TEST(Lists, EndBeforeTheNextArgument) {
  BodyTest t;
  t.create.InList("l", {OPSRUN_DT_INT32, OPSRUN_DT_INT32}).In("x", OPSRUN_DT_INT32).Out("y", OPSRUN_DT_INT32);
  for (const int32_t value : {1, 2, 3}) t.call.In<int32_t>({}, {value});
  t.call.Planned(OPSRUN_DT_INT32, {});
  for (const int at : {-1, 0, 1, 2}) {
    const std::string said = t.Compute([at](OpKernelContext* context) {
      EXPECT_EQ(context->expected_output_dtype(-1), DT_INVALID);
      EXPECT_EQ(context->expected_output_dtype(0), DT_INT32);
      EXPECT_EQ(context->expected_output_dtype(1), DT_INVALID);
      context->set_output(0, context->input(2));
      OpInputList list;
      OP_REQUIRES_OK(context, context->input_list("l", &list));
      EXPECT_EQ(list[at].scalar<int32>()(), at + 1);
    });
    EXPECT_EQ(said.substr(0, 3), at < 0 || at > 1 ? "13:" : "") << at;
  }
  t.Constructs([](OpKernelConstruction* context) {
    EXPECT_EQ(context->input_type(2), DT_INT32);
    EXPECT_EQ(context->input_type(3), DT_INVALID);
    EXPECT_EQ(context->output_type(1), DT_INVALID);
  });
}

// The host owns what a kernel is created with, and may have freed it before Compute.
// The host lends the name of a node until create returns.
TEST(OpKernel, KeepsTheNameOfItsNode) {
  TestHost host;
  TestCreate lent(host);
  std::string name = "its name";
  opsrun_create& create = *lent.handle();
  create.node = {name.data(), name.size()};
  void* kernel = nullptr;
  ASSERT_EQ(internal::CreateKernel<BodyOp>(nullptr, &create, &kernel), OPSRUN_OK);
  name.assign(name.size(), '#');
  EXPECT_EQ(static_cast<OpKernel*>(kernel)->name(), "its name");
  internal::DestroyKernel(kernel);
}

}  // namespace
}  // namespace opsrun_test
