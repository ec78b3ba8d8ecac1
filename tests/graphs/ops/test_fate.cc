// tests/graphs/ops/test_fate.cc: an op that ends as its input says, for tests of batches.
// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <csignal>
#include <thread>

#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"
#include "opsrun/shape_inference.h"

namespace opsrun {

// Returns x, unless that is one of the numbers that mean an end: 13 a crash, 14 no end, 15 an error, 16 a slow one.
// From 1,000,000 on, it takes 2 ms.
REGISTER_OP("TestFate").Input("x: int32").Output("y: int32").SetShapeFn(shape_inference::UnchangedShape);
class TestFateOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    const auto x = context->input(0).flat<int32_t>();
    for (int64_t i = 0; i < x.size(); ++i) {
      OP_REQUIRES(context, x(i) != 15, errors::InvalidArgument("x is 15"));
      if (x(i) == 13) std::raise(SIGSEGV);
      if (x(i) >= 1'000'000) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      for (int slept = 0; x(i) == 14 && slept < 6000; ++slept)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      for (int slept = 0; x(i) == 16 && slept < 1000 && !context->IsCancelled(); ++slept)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      OP_REQUIRES(context, x(i) != 16 || !context->IsCancelled(), errors::Cancelled("woken up"));
    }
    context->set_output(0, context->input(0));
  }
};
REGISTER_KERNEL_BUILDER(Name("TestFate").Device(DEVICE_CPU), TestFateOp);

}  // namespace opsrun
