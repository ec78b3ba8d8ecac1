// tests/sdk/async_op_kernel_test.cc: kernels that end on another thread, and those that fail before.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/async_op_kernel.h"

#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "opsrun/logging.h"
#include "tests/sdk/run_body.h"

namespace opsrun_test {
namespace {

typedef AsyncOpKernel::DoneCallback Done;

inline thread_local std::function<void(OpKernelContext*, Done)> async_body;

class AsyncBodyOp : public AsyncOpKernel {
 public:
  using AsyncOpKernel::AsyncOpKernel;
  void ComputeAsync(OpKernelContext* context, DoneCallback done) override { async_body(context, done); }
};

// What the kernel computes of 20, or why not.
std::string Computed(std::function<void(OpKernelContext*, Done)> body) {
  FakeHost host;
  FakeCreate create(host);
  create.In("x", OPSRUN_DT_INT32).Out("y", OPSRUN_DT_INT32);
  FakeCall call(host);
  call.In<int32_t>({}, {20}).Planned(OPSRUN_DT_INT32, {});
  void* kernel = nullptr;
  EXPECT_EQ(internal::CreateKernel<AsyncBodyOp>(nullptr, create.handle(), &kernel), OPSRUN_OK);
  async_body = std::move(body);
  const int32_t code = call.Run(&internal::ComputeKernel, kernel);
  internal::DestroyKernel(kernel);
  return code == OPSRUN_OK ? std::to_string(call.Values<int32_t>(0)[0]) : Describe(code, call.failure());
}

void Double(OpKernelContext* context) {
  Tensor* y = nullptr;
  OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({}), &y));
  y->scalar<int32>()() = 2 * context->input(0).scalar<int32>()();
}

TEST(AsyncOpKernel, WaitsForTheOtherThread) {
  std::thread other;
  EXPECT_EQ(Computed([&other](OpKernelContext* context, Done done) {
              const std::function<void()> as_function = done;
              other = std::thread([context, as_function] {
                Double(context);
                as_function();
              });
            }),
            "40");
  other.join();
}

TEST(AsyncOpKernel, MayBeDoneBeforeItReturns) {
  EXPECT_EQ(Computed([](OpKernelContext* context, Done done) {
              Double(context);
              done();
            }),
            "40");
}

TEST(AsyncOpKernel, FailsAndIsDone) {
  EXPECT_EQ(Computed([](OpKernelContext* context, Done done) {
              OP_REQUIRES_OK_ASYNC(context, Status::OK(), done);
              OP_REQUIRES_ASYNC(context, false, errors::OutOfRange("too far"), done);
            }),
            "11: too far");
  EXPECT_EQ(Computed([](OpKernelContext* context, Done done) {
              OP_REQUIRES_OK_ASYNC(context, errors::NotFound("nowhere"), done);
            }),
            "5: nowhere");
}

TEST(AsyncOpKernel, DoesNotWaitForOneThatGivesUp) {
  EXPECT_EQ(Computed([](OpKernelContext*, Done) { CHECK(false); }).substr(0, 23), "13: Check failed: false");
}

}  // namespace
}  // namespace opsrun_test
