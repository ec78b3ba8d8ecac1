// plugins/list_ops/identity_n_op.cc: IdentityN, tensors of any types as they are.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/elements.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"
#include "opsrun/shape_inference.h"
#include "register_kernel.h"

namespace list_ops {
namespace {

using namespace opsrun;

// [list]
REGISTER_OP("IdentityN")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: list(type)")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      for (int i = 0; i < c->num_inputs(); ++i) {
        c->set_output(i, c->input(i));
        shape_inference::PassElements(c, i, i);
      }
      return Status::OK();
    })
    .Gradient(R"yaml(
outputs: {input: grad.output}
)yaml")
    .Doc(R"doc(
Gives its inputs as its outputs.

It makes several tensors one node: with `after`, a place that all of them have passed.

input: Any tensors, each of a type of its own.
output: The same tensors, in the same order.
)doc");

class IdentityNOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    for (int i = 0; i < context->num_inputs(); ++i) {
      const Tensor& input = context->input(i);
      Tensor* output = nullptr;
      if (!context->forward_input_to_output_with_shape(i, i, input.shape(), &output)) context->set_output(i, input);
    }
  }
};

REGISTER_KERNEL_BUILDER(Name("IdentityN").Device(DEVICE_CPU), IdentityNOp);
// [/list]

#if GOOGLE_CUDA
#define TYPE_OF(T) DataTypeToEnum<T>::value,
// Strings are in the CPU's memory, whatever the device.
REGISTER_KERNEL_BUILDER(
    Name("IdentityN").Device(DEVICE_GPU).TypeConstraint("T", {LIST_OPS_CALL_FIXED_SIZE_TYPES(TYPE_OF)}).Capturable(),
    IdentityNOp);
#undef TYPE_OF
#endif  // GOOGLE_CUDA

}  // namespace
}  // namespace list_ops
