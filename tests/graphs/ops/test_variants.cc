// tests/graphs/ops/test_variants.cc: numbers in variants, of any shape; negative ones leave their element empty.
// SPDX-License-Identifier: Apache-2.0
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/framework/variant.h"

namespace tensorflow {
namespace {

REGISTER_OP("TestBox").Input("x: int64").Output("boxes: variant").SetShapeFn(shape_inference::UnchangedShape);

REGISTER_OP("TestUnbox")
    .Input("boxes: N * variant")
    .Input("otherwise: int64")
    .Output("x: N * int64")
    .Attr("N: int >= 1")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      for (int i = 0; i < c->num_outputs(); ++i) c->set_output(i, c->input(i));
      return Status();
    });

class BoxOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    const auto x = ctx->input(0).flat<int64>();
    Tensor* boxes = nullptr;
    OP_REQUIRES_OK(ctx, ctx->allocate_output(0, ctx->input(0).shape(), &boxes));
    for (int64 i = 0; i < x.size(); ++i) {
      if (x(i) >= 0) boxes->flat<Variant>()(i) = x(i);
    }
  }
};

class UnboxOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* ctx) override {
    for (int k = 0; k < ctx->num_outputs(); ++k) {
      const auto boxes = ctx->input(k).flat<Variant>();
      Tensor* x = nullptr;
      OP_REQUIRES_OK(ctx, ctx->allocate_output(k, ctx->input(k).shape(), &x));
      for (int64 i = 0; i < boxes.size(); ++i) {
        const int64* const number = boxes(i).get<int64>();
        x->flat<int64>()(i) = number == nullptr ? ctx->input(ctx->num_outputs()).scalar<int64>()() : *number;
      }
    }
  }
};

REGISTER_KERNEL_BUILDER(Name("TestBox").Device(DEVICE_CPU), BoxOp);
REGISTER_KERNEL_BUILDER(Name("TestUnbox").Device(DEVICE_CPU), UnboxOp);

}  // namespace
}  // namespace tensorflow
