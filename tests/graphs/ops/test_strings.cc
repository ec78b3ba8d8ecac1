// tests/graphs/ops/test_strings.cc: ops of strings, and of tensors as attrs; ops that count their kernels.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <string>

#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"
#include "opsrun/shape_inference.h"

namespace opsrun {

REGISTER_OP("TestGreet")
    .Attr("greeting: string = 'hello'")
    .Input("names: string")
    .Output("greetings: string")
    .SetShapeFn(shape_inference::UnchangedShape);
REGISTER_OP("TestConst").Attr("value: tensor").Attr("T: type").Output("value_again: T");

class TestGreetOp : public OpKernel {
 public:
  explicit TestGreetOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("greeting", &greeting_));
  }
  void Compute(OpKernelContext* context) override {
    const auto names = context->input(0).flat<tstring>();
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, context->input(0).shape(), &output));
    auto greetings = output->flat<tstring>();
    for (int64 i = 0; i < names.size(); ++i) greetings(i) = greeting_ + " " + std::string(names(i));
  }

 private:
  std::string greeting_;
};
REGISTER_KERNEL_BUILDER(Name("TestGreet").Device(DEVICE_CPU), TestGreetOp)

class TestConstOp : public OpKernel {
 public:
  explicit TestConstOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("value", &value_));
    OP_REQUIRES(context, value_.dtype() == output_type(0),
                errors::InvalidArgument("value is of type ", DataTypeString(value_.dtype()), ", T is ",
                                        DataTypeString(output_type(0)))
                    .Blame("attr:value"));
  }
  void Compute(OpKernelContext* context) override { context->set_output(0, value_); }

 private:
  Tensor value_;
};
REGISTER_KERNEL_BUILDER(Name("TestConst").Device(DEVICE_CPU), TestConstOp)

// Outputs how many kernels have been constructed, with this one. If kBusy, the first one fails.
template <bool kBusy>
class TestMadeOp : public OpKernel {
 public:
  explicit TestMadeOp(OpKernelConstruction* context) : OpKernel(context), made_(NextNumber()) {
    OP_REQUIRES(context, !kBusy || made_ > 1, errors::Unavailable("the server is busy"));
  }
  void Compute(OpKernelContext* context) override {
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, {}, &output));
    output->scalar<int32>()() = made_;
  }

 private:
  static int32 NextNumber() {
    static std::atomic<int32> made{0};
    return ++made;
  }
  const int32 made_;
};
REGISTER_OP("TestBusy").Output("made: int32").SetShapeFn(shape_inference::ScalarShape);
REGISTER_KERNEL_BUILDER(Name("TestBusy").Device(DEVICE_CPU), TestMadeOp<true>)
REGISTER_OP("TestOutdated")
    .Output("made: int32")
    .SetShapeFn(shape_inference::ScalarShape)
    .Deprecated(7, "use TestBusy");
REGISTER_KERNEL_BUILDER(Name("TestOutdated").Device(DEVICE_CPU), TestMadeOp<false>)

}  // namespace opsrun
