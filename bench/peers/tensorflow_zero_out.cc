// bench/peers/tensorflow_zero_out.cc: an op whose source builds unchanged for TensorFlow and as a plugin.
// SPDX-License-Identifier: Apache-2.0
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"

using namespace tensorflow;

REGISTER_OP("PeerZeroOut")
    .Attr("preserve_index: int = 0")
    .Input("to_zero: int32")
    .Output("zeroed: int32")
    .SetShapeFn([](::tensorflow::shape_inference::InferenceContext* c) {
      c->set_output(0, c->input(0));
      return Status();
    });

class PeerZeroOutOp : public OpKernel {
 public:
  explicit PeerZeroOutOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("preserve_index", &preserve_index_));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& to_zero = context->input(0);
    const auto in = to_zero.flat<int32>();
    OP_REQUIRES(context, preserve_index_ < in.size(), errors::InvalidArgument("preserve_index is out of range"));
    Tensor* zeroed = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, to_zero.shape(), &zeroed));
    auto out = zeroed->flat<int32>();
    out.setZero();
    out(preserve_index_) = in(preserve_index_);
  }

 private:
  int preserve_index_;
};

REGISTER_KERNEL_BUILDER(Name("PeerZeroOut").Device(DEVICE_CPU), PeerZeroOutOp);
