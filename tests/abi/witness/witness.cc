// tests/abi/witness/witness.cc: a small plugin of the SDK, whose binary is kept once a level is frozen: a list, an
// attr, a shape function, and a failure.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"
#include "opsrun/plugin.h"
#include "opsrun/shape_inference.h"

OPSRUN_PLUGIN("opsrun.witness", "1.0");

namespace {

using namespace opsrun;  // NOLINT: as plugins do

REGISTER_OP("WitnessSum")
    .Attr("N: int >= 1")
    .Attr("scale: int = 1")
    .Input("xs: N * int32")
    .Output("sum: int32")
    .SetShapeFn([](shape_inference::InferenceContext* context) {
      context->set_output(0, context->input(0));
      return Status();
    })
    .Doc("Adds tensors, and scales the sum.");

class WitnessSumOp : public OpKernel {
 public:
  explicit WitnessSumOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("scale", &scale_));
    OP_REQUIRES(context, scale_ != 0, errors::InvalidArgument("scale is 0"));
  }

  void Compute(OpKernelContext* context) override {
    Tensor* sum = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, context->input(0).shape(), &sum));
    auto to = sum->flat<int32>();
    for (int64 i = 0; i < sum->NumElements(); ++i) {
      to(i) = 0;
      for (int x = 0; x < context->num_inputs(); ++x) to(i) += scale_ * context->input(x).flat<int32>()(i);
    }
  }

 private:
  int32 scale_;
};
REGISTER_KERNEL_BUILDER(Name("WitnessSum").Device(DEVICE_CPU), WitnessSumOp);

}  // namespace
