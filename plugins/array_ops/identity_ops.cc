// plugins/array_ops/identity_ops.cc: Identity, StopGradient and Print, which pass their input on.
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cstring>

#include "moving_ops.h"
#include "opsrun/op.h"
#include "opsrun/plugin.h"

OPSRUN_PLUGIN("array_ops", "0.1.0");
OPSRUN_PLUGIN_META("Apache-2.0", "", "Slices, gathers, transposes and other moves of elements");

namespace array_ops {
namespace {

Status SameElements(shape_inference::InferenceContext* c) {
  c->set_output(0, c->input(0));
  shape_inference::PassElements(c, 0);
  return Status::OK();
}

class PrintOp : public IdentityOp {
 public:
  explicit PrintOp(OpKernelConstruction* context) : IdentityOp(context) {
    OP_REQUIRES_OK(context, context->GetAttr("message", &message_));
    OP_REQUIRES_OK(context, context->GetAttr("first_n", &first_n_));
    OP_REQUIRES_OK(context, context->GetAttr("summarize", &summarize_));
  }

  void Compute(OpKernelContext* context) override {
    if (first_n_ < 0 || printed_.fetch_add(1) < first_n_) Show(context);
    IdentityOp::Compute(context);
  }

 private:
  // The host decides where the line goes.
  void Show(OpKernelContext* context) const {
    std::string line = message_;
    for (int i = 1; i < context->num_inputs(); ++i) {
      const Tensor& data = context->input(i);
      line += "[" + data.SummarizeValue(summarize_ < 0 ? data.NumElements() : summarize_) + "]";
    }
    context->call()->host->log(context->call()->host, context->call(), OPSRUN_LOG_INFO, {line.data(), line.size()}, {},
                               0);
  }

  std::string message_;
  int64 first_n_ = -1, summarize_ = 3;
  std::atomic<int64> printed_{0};
};

REGISTER_OP("Identity")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Broadcasts("()->()")
    .SetShapeFn(SameElements)
    .Gradient(R"yaml(
outputs: {input: grad.output}
)yaml")
    .Doc(R"doc(
Gives its input as its output.

input: Any tensor.
output: The same tensor.
)doc");

REGISTER_OP("StopGradient")
    .Input("input: T")
    .Output("output: T")
    .Attr("T: type")
    .Broadcasts("()->()")
    .SetShapeFn(SameElements)
    .NotDifferentiable()
    .Doc(R"doc(
Gives its input as its output, and counts as a constant when the graph is differentiated.

input: Any tensor.
output: The same tensor.
)doc");

REGISTER_OP("Print")
    .Input("input: T")
    .Input("data: U")
    .Output("output: T")
    .Attr("T: type")
    .Attr("U: list(type) >= 0")
    .Attr("message: string = ''")
    .Attr("first_n: int = -1")
    .Attr("summarize: int = 3")
    .SetIsStateful()
    .SetShapeFn(SameElements)
    .Gradient(R"yaml(
outputs: {input: grad.output, data: null}
)yaml")
    .Doc(R"doc(
Gives its input as its output, and logs a line, which opsrun shows on stderr: the message, then each tensor of data in brackets.

input: Any tensor.
data: The tensors to print.
output: The same tensor as input.
message: What the line begins with.
first_n: Print only in the first so many runs of the node; a negative number means in all of them.
summarize: How many elements of each tensor to print; a negative number means all of them.
)doc");

REGISTER_KERNEL_BUILDER(Name("Identity").Device(DEVICE_CPU), IdentityOp);
REGISTER_KERNEL_BUILDER(Name("StopGradient").Device(DEVICE_CPU), IdentityOp);
REGISTER_KERNEL_BUILDER(Name("Print").Device(DEVICE_CPU), PrintOp);

// ZerosLike and OnesLike.

template <int64_t kElement>
Status LikeShape(shape_inference::InferenceContext* c) {
  c->set_output(0, c->input(0));
  shape_inference::RepeatElement(c, kElement);
  return Status::OK();
}

REGISTER_OP("ZerosLike")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: type")
    .Broadcasts("()->()")
    .SetShapeFn(LikeShape<0>)
    .NotDifferentiable()
    .Doc(R"doc(
Makes a tensor of zeros of the shape and the type of another tensor.

x: Any tensor.
y: Zeros; false for bools, empty strings for strings.
)doc");

REGISTER_OP("OnesLike")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: type")
    .Broadcasts("()->()")
    .SetShapeFn(LikeShape<1>)
    .NotDifferentiable()
    .Doc(R"doc(
Makes a tensor of ones of the shape and the type of another tensor.

x: A tensor of numbers or bools.
y: Ones; true for bools.
)doc");

REGISTER_KERNEL_BUILDER(ARRAY_OPS_CPU("ZerosLike"), FunctionOp<FillLike<CpuMoves, false>>);
#define REGISTER_ONES_LIKE(T)                                                         \
  REGISTER_KERNEL_BUILDER(Name("OnesLike").Device(DEVICE_CPU).TypeConstraint<T>("T"), \
                          FunctionOp<FillLike<CpuMoves, true>>);
ONES_LIKE_CALL_TYPES(REGISTER_ONES_LIKE)
#undef REGISTER_ONES_LIKE

}  // namespace

Bytes16 OneOf(DataType type) {
  Bytes16 bytes = {};
#define CASE(T)                            \
  if (type == DataTypeToEnum<T>::value) {  \
    const T one = static_cast<T>(1);       \
    std::memcpy(&bytes, &one, sizeof one); \
  }
  ONES_LIKE_CALL_TYPES(CASE)
#undef CASE
  return bytes;
}

}  // namespace array_ops
