// tests/sdk/tensorflow_methods_test.cc: what sources for TensorFlow call beside what a plugin of opsrun needs.
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

TEST(TensorflowMethods, NameTheKernelAndTheDevice) {
  MethodsTest t;
  EXPECT_EQ(t.Compute([](OpKernelContext* context) {
    EXPECT_EQ(context->op_kernel().num_inputs(), 1);
    EXPECT_EQ(context->op_kernel().requested_input(0), "input 0 ('x')");
    EXPECT_EQ(context->device()->name(), "/device:CPU:0");
    EXPECT_FALSE(context->track_allocations());
  }),
            "");
}

TEST(TensorflowMethods, InputsByReferenceFailTheCall) {
  MethodsTest t;
  EXPECT_EQ(t.Compute([](OpKernelContext* context) { context->mutable_input(0, false); }).substr(0, 3), "12:");
  EXPECT_EQ(t.Compute([](OpKernelContext* context) { context->set_output_ref(0, nullptr, nullptr); }).substr(0, 3),
            "12:");
  EXPECT_EQ(t.Compute([](OpKernelContext* context) { context->forward_ref_input_to_ref_output(0, 0); }).substr(0, 3),
            "12:");
}

TEST(TensorflowMethods, ScheduleRunsATaskOnce) {
  for (const int threads : {1, 4}) {
    MethodsTest t;
    t.host.PretendThreads(threads);
    std::atomic<int> ran{0};
    EXPECT_EQ(t.Compute([&](OpKernelContext* context) {
      const auto* workers = context->device()->tensorflow_cpu_worker_threads();
      for (int i = 0; i < 20; ++i) workers->workers->Schedule([&ran] { ++ran; });
      while (ran < 20) {
      }
    }),
              "");
    EXPECT_EQ(ran, 20);
  }
}

TEST(TensorflowMethods, ATaskThatThrowsFailsTheCall) {
  MethodsTest t;
  EXPECT_EQ(
      t.Compute([](OpKernelContext* context) {
         context->device()->tensorflow_cpu_worker_threads()->workers->Schedule([] { throw std::runtime_error("no"); });
       }).substr(0, 3),
      "13:");
}

TEST(TensorflowMethods, WorkersHaveDifferentIds) {
  MethodsTest t;
  t.host.PretendThreads(4);
  EXPECT_EQ(t.Compute([](OpKernelContext* context) {
    auto* workers = context->device()->tensorflow_cpu_worker_threads()->workers;
    std::atomic<int> covered{0};
    workers->ParallelForWithWorkerId(100, 1000, [&](int64 begin, int64 end, int id) {
      EXPECT_GE(id, 0);
      EXPECT_LE(id, workers->NumThreads());
      covered += static_cast<int>(end - begin);
    });
    EXPECT_EQ(covered, 100);
  }),
            "");
}

TEST(TensorflowMethods, ShapesBindToReferences) {
  MethodsTest t;
  EXPECT_EQ(t.Compute([](OpKernelContext* context) {
    auto& shape = context->input(0).shape();
    EXPECT_EQ(shape.dims(), 0);
  }),
            "");
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
