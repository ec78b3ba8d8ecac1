// tests/sdk/tensorflow_methods_test.cc: methods that only sources for TensorFlow call.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <sstream>
#include <stdexcept>

#include "opsrun/logging.h"
#include "opsrun/thread_pool.h"
#include "tests/sdk/run_body.h"

namespace opsrun_test {
namespace {

struct MethodsTest : BodyTest {
  MethodsTest() {
    create.In("x", OPSRUN_DT_INT32);
    call.In<int32_t>({}, {1});
  }
};

TEST(TensorflowMethods, InputsByReferenceFailTheCall) {
  MethodsTest t;
  OpMutableInputList list;
  const std::vector<std::function<void(OpKernelContext*)>> calls = {
      [](OpKernelContext* context) { context->mutable_input(0, false); },
      [](OpKernelContext* context) { context->set_output_ref(0, nullptr, nullptr); },
      [](OpKernelContext* context) { context->forward_ref_input_to_ref_output(0, 0); },
      [&](OpKernelContext* context) { EXPECT_FALSE(context->mutable_input_list("x", &list).ok()); },
      [](OpKernelContext* context) { context->delete_ref_input(0, false); },
      [](OpKernelContext* context) { context->input_ref_mutex(0); }};
  for (const auto& call : calls) t.ComputeFails("12:", call);
  EXPECT_EQ(list.size(), 0);
}

TEST(TensorflowMethods, TellNamesAndConstants) {
  MethodsTest t;
  t.Computes([](OpKernelContext* context) {
    EXPECT_FALSE(context->is_input_dead() || context->input_is_ref(0) || context->output_expects_forwarding(0));
    EXPECT_EQ(context->session_handle(), "");
    EXPECT_FALSE(context->track_allocations());
    EXPECT_EQ(context->device()->name(), "/device:CPU:0");
    EXPECT_EQ(context->op_kernel().num_inputs(), 1);
    EXPECT_EQ(context->op_kernel().requested_input(0), "input 0 ('x')");
    EXPECT_EQ(context->op_kernel().requested_device(), "");
    EXPECT_EQ(context->op_kernel().name_view(), context->op_kernel().name());
    EXPECT_EQ(context->op_kernel().type_string_view(), context->op_kernel().type_string());
  });
  t.Constructs([](OpKernelConstruction* context) { EXPECT_GT(context->graph_def_version(), 1000); });
}

TEST(TensorflowMethods, TellArgumentsAndTheirMemory) {
  MethodsTest t;
  t.create.In("text", OPSRUN_DT_STRING).Out("y", OPSRUN_DT_INT32);
  t.call.Planned(OPSRUN_DT_INT32, {});
  t.Computes([](OpKernelContext* context) {
    const OpKernel& kernel = context->op_kernel();
    int begin = -1, end = -1;
    OP_REQUIRES_OK(context, kernel.InputRange("text", &begin, &end));
    EXPECT_TRUE(begin == 1 && end == 2);
    OP_REQUIRES_OK(context, kernel.OutputRange("y", &begin, &end));
    EXPECT_TRUE(begin == 0 && end == 1);
    EXPECT_EQ(kernel.InputRange("z", &begin, &end).code(), error::INVALID_ARGUMENT);
    EXPECT_EQ(kernel.input_memory_types(), (MemoryTypeVector{DEVICE_MEMORY, HOST_MEMORY}));
    EXPECT_EQ(kernel.output_memory_types(), MemoryTypeVector{DEVICE_MEMORY});
    EXPECT_EQ(context->input_memory_type(1), HOST_MEMORY);
    EXPECT_EQ(context->output_memory_type(0), DEVICE_MEMORY);
    DataType type = DT_INVALID;
    OP_REQUIRES_OK(context, context->input_dtype("x", &type));
    EXPECT_EQ(type, DT_INT32);
    EXPECT_FALSE(context->input_dtype("z", &type).ok());
    Tensor* output = NewOutput(context, 0, TensorShape({}));
    output->scalar<int32>()() = 1;
    Tensor* same = nullptr;
    OP_REQUIRES_OK(context, context->mutable_output("y", &same));
    EXPECT_EQ(same, output);
    EXPECT_FALSE(context->mutable_output("z", &same).ok());
  });
}

TEST(TensorflowMethods, CompareTheShapesOfInputs) {
  MethodsTest t;
  t.create.In("other", OPSRUN_DT_INT32);
  t.call.In<int32_t>({1}, {1});
  t.ComputeFails("3:", [](OpKernelContext* context) { EXPECT_FALSE(context->ValidateInputsAreSameShape(nullptr)); });
}

TEST(TensorflowMethods, MakeATemporaryInsteadOfAnInput) {
  MethodsTest t;
  t.Computes([](OpKernelContext* context) {
    Tensor made;
    OP_REQUIRES_OK(context, context->forward_input_or_allocate_temp({0}, DT_FLOAT, TensorShape({2}), &made));
    EXPECT_EQ(made.dim_size(0), 2);
    OP_REQUIRES_OK(context, context->forward_input_or_allocate_temp({0}, DT_FLOAT, TensorShape({3}),
                                                                    AllocatorAttributes(), &made));
    EXPECT_EQ(made.dim_size(0), 3);
    EXPECT_EQ(context->forward_input(0, 0, DT_INT32, TensorShape({}), DEVICE_MEMORY, AllocatorAttributes()), nullptr);
    OP_REQUIRES_OK(context, context->allocate_temp(DT_INT32, TensorShape({1}), &made, AllocatorAttributes(),
                                                   AllocationAttributes(false, true)));
  });
}

TEST(TensorflowMethods, ForwardByNameOrSayThatItIsNotDone) {
  for (const bool forwardable : {false, true}) {
    MethodsTest t;
    t.create.Out("y", OPSRUN_DT_INT32);
    t.call.Out(OPSRUN_DT_INT32);
    if (forwardable) t.call.Forwardable(0);
    t.Computes([forwardable](OpKernelContext* context) {
      Tensor* output = nullptr;
      EXPECT_EQ(context->forward_input_to_output_with_shape("z", "y", TensorShape({}), &output).code(),
                error::INVALID_ARGUMENT);
      const Status status = context->forward_input_to_output_with_shape("x", "y", TensorShape({}), &output);
      EXPECT_EQ(status.code(), forwardable ? error::OK : error::FAILED_PRECONDITION);
      if (!forwardable) OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({}), &output));
      output->scalar<int32>()() = 1;
    });
  }
}

TEST(TensorflowMethods, GoThroughListsOfOutputs) {
  MethodsTest t;
  t.create.Out("y", OPSRUN_DT_INT32);
  t.call.Planned(OPSRUN_DT_INT32, {});
  t.Computes([](OpKernelContext* context) {
    OpOutputList outputs;
    OP_REQUIRES_OK(context, context->output_list("y", &outputs));
    EXPECT_TRUE(outputs.required(0));
    EXPECT_EQ(outputs.expected_output_dtype(0), DT_INT32);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, outputs.allocate(0, TensorShape({}), &output));
    for (Tensor* each : outputs) each->scalar<int32>()() = 3;
    OpInputList inputs;
    OP_REQUIRES_OK(context, context->input_list("x", &inputs));
    for (auto it = inputs.begin(); it != inputs.end(); it++) EXPECT_EQ(it->dims(), 0);
  });
}

TEST(TensorflowMethods, ScheduleRunsATaskOnce) {
  for (const int threads : {1, 4}) {
    MethodsTest t;
    t.host.PretendThreads(threads);
    std::atomic<int> ran{0};
    t.Computes([&](OpKernelContext* context) {
      const auto* workers = context->device()->tensorflow_cpu_worker_threads();
      for (int i = 0; i < 20; ++i) workers->workers->Schedule([&ran] { ++ran; });
      while (ran < 20) {
      }
    });
    EXPECT_EQ(ran, 20);
  }
}

TEST(TensorflowMethods, ATaskThatThrowsFailsTheCall) {
  MethodsTest t;
  t.ComputeFails("13:", [](OpKernelContext* context) {
    context->device()->tensorflow_cpu_worker_threads()->workers->Schedule([] { throw std::runtime_error("no"); });
  });
}

TEST(TensorflowMethods, WorkersHaveDifferentIds) {
  MethodsTest t;
  t.host.PretendThreads(4);
  t.Computes([](OpKernelContext* context) {
    auto* workers = context->device()->tensorflow_cpu_worker_threads()->workers;
    std::atomic<int> covered{0};
    workers->ParallelForWithWorkerId(100, 1000, [&](int64 begin, int64 end, int id) {
      EXPECT_GE(id, 0);
      EXPECT_LE(id, workers->NumThreads());
      covered += static_cast<int>(end - begin);
    });
    EXPECT_EQ(covered, 100);
  });
}

TEST(TensorflowMethods, LinesEndWithEndl) {
  internal::TextStream text;
  text << "a" << std::endl << "b";
  EXPECT_EQ(text.text(), "a\nb");
}

TEST(TensorflowMethods, CodesHaveTwoNames) {
  EXPECT_EQ(Status(error::kNotFound, "no").code(), error::NOT_FOUND);
  EXPECT_EQ(Status(error::kNotFound, "no").raw_code(), 5);
}

}  // namespace
}  // namespace opsrun_test
