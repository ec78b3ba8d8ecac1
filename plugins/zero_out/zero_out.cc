// A whole plugin in one file: an op, its shape function and its kernels. Copy it to begin your own.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"
#include "opsrun/plugin.h"
#include "opsrun/register_types.h"

OPSRUN_PLUGIN("zero_out", "0.1.0");
OPSRUN_PLUGIN_META("Apache-2.0", "", "Zeros in all elements but the first");

namespace {

using namespace opsrun;

// [op]
REGISTER_OP("ZeroOut")
    .Attr("T: realnumbertype")
    .Attr("preserve_index: int >= 0 = 0")
    .Input("to_zero: T")
    .Output("zeroed: T")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Gradient(R"yaml(
nodes:
  kept: {op: ZeroOut, in: grad.zeroed, attrs: {preserve_index: {attr: preserve_index}}}
outputs: {to_zero: kept}
)yaml")
    .Doc(R"doc(
Sets every element of a tensor but one to zero.

to_zero: A tensor of any shape.
zeroed: A tensor of the same shape: the element at `preserve_index` as it was, zeros everywhere else.
preserve_index: Which element stays, counted as if the tensor were flat.
)doc");
// [/op]

// [kernel]
template <typename T>
class ZeroOutOp : public OpKernel {
 public:
  explicit ZeroOutOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("preserve_index", &preserve_index_));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& to_zero = context->input(0);
    Tensor* zeroed = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, to_zero.shape(), &zeroed));

    const auto in = to_zero.flat<T>();
    auto out = zeroed->flat<T>();
    if (in.size() == 0 && preserve_index_ == 0) return;
    OP_REQUIRES(context, preserve_index_ < in.size(),
                errors::InvalidArgument("preserve_index is ", preserve_index_, ", but to_zero has only ", in.size(),
                                        " elements")
                    .Blame("attr:preserve_index"));
    out.setZero();
    out(preserve_index_) = in(preserve_index_);
  }

 private:
  int64 preserve_index_ = 0;
};
// [/kernel]

// [registration]
#define REGISTER_ZERO_OUT(T) \
  REGISTER_KERNEL_BUILDER(Name("ZeroOut").Device(DEVICE_CPU).TypeConstraint<T>("T"), ZeroOutOp<T>);
TF_CALL_REAL_NUMBER_TYPES(REGISTER_ZERO_OUT)
#undef REGISTER_ZERO_OUT
// [/registration]

}  // namespace
