// bench/nothing.cc: an empty kernel of the SDK, for the cost of C++ compared with c_zero_out.c with -DEMPTY.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"

namespace {

REGISTER_OP("Nothing").Input("x: int32").SetIsStateful();

class NothingOp : public opsrun::OpKernel {
 public:
  using OpKernel::OpKernel;
  void Compute(opsrun::OpKernelContext*) override {}
};
REGISTER_KERNEL_BUILDER(Name("Nothing").Device(opsrun::DEVICE_CPU), NothingOp);

}  // namespace
