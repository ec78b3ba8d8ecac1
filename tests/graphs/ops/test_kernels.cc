// tests/graphs/ops/test_kernels.cc: a plugin without ops: a second kernel for one of test_ops.cc.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/op_kernel.h"
#include "opsrun/plugin.h"

OPSRUN_PLUGIN("acme.kernels", "1.4.2");

namespace opsrun {

class TestTwiceOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override { context->set_output(0, context->input(0)); }
};
REGISTER_KERNEL_BUILDER(Name("TestTwice").Device(DEVICE_CPU), TestTwiceOp);

}  // namespace opsrun
