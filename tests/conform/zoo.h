// tests/conform/zoo.h: what the ops of the zoo have in common: float tensors, a kernel that adds 1 to each element, and
// one fault each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"
#include "opsrun/plugin.h"
#include "opsrun/shape_inference.h"
#include "opsrun/shard.h"

namespace opsrun {
namespace {

using shape_inference::DimensionHandle;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;
using shape_inference::UnchangedShape;

// One call: n elements from x to y.
struct Arrays {
  OpKernelContext* context;
  const float* x;
  float* y;
  int64 n;

  void AddOne() const {
    for (int64 i = 0; i < n; ++i) y[i] = x[i] + 1;
  }
};

// Calls Run(arrays) of the fault, which has a state for each kernel object.
template <typename Fault, bool kForwards = false>
class ZooKernel : public OpKernel {
 public:
  explicit ZooKernel(OpKernelConstruction* context) : OpKernel(context), fault_(context) {}

  void Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    Tensor* y = nullptr;
    if (kForwards) {
      OP_REQUIRES_OK(context, context->forward_input_or_allocate_output({0}, 0, x.shape(), &y));
    } else {
      OP_REQUIRES_OK(context, context->allocate_output(0, x.shape(), &y));
    }
    fault_.Run({context, x.flat<float>().data(), y->flat<float>().data(), x.NumElements()});
  }

 private:
  Fault fault_;
};

// The body of Run, with the arrays as `a`; members follow.
#define FAULT(name, body, ...)                                   \
  struct name##Fault {                                           \
    explicit name##Fault(OpKernelConstruction*) {}               \
    void Run([[maybe_unused]] const Arrays& a){body} __VA_ARGS__ \
  };

#define ZOO_OP(name) REGISTER_OP(#name).Input("x: float").Output("y: float")
#define ZOO_KERNEL(name) REGISTER_KERNEL_BUILDER(Name(#name).Device(DEVICE_CPU), ZooKernel<name##Fault>)

#define ZOO(name, body, ...)               \
  FAULT(name, body, __VA_ARGS__)           \
  ZOO_OP(name).SetShapeFn(UnchangedShape); \
  ZOO_KERNEL(name)

}  // namespace
}  // namespace opsrun
