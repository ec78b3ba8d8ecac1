// tests/sdk/plugins/surface_types.cc: one kernel class for every real number type, with a functor for each of Eigen's devices.
// SPDX-License-Identifier: Apache-2.0
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/shape_inference.h"

using namespace tensorflow;

using Cpu = Eigen::ThreadPoolDevice;

// How far each level is below the highest previous level.
REGISTER_OP("Drawdown")
    .Input("levels: Level")
    .Output("below_peak: Level")
    .Attr("Level: realnumbertype")
    .SetShapeFn([](::tensorflow::shape_inference::InferenceContext* c) {
      ::tensorflow::shape_inference::ShapeHandle levels = c->input(0);
      c->set_output(0, levels);
      return Status::OK();
    });

template <typename Device, typename Level>
struct BelowPeak;

template <typename Level>
struct BelowPeak<Cpu, Level> {
  int64 operator()(typename TTypes<Level>::ConstFlat levels, typename TTypes<Level>::Flat below) const {
    int64 peak = 0;
    for (int64 i = 0; i < levels.size(); ++i) {
      if (levels(peak) < levels(i)) peak = i;
      below(i) = static_cast<Level>(levels(peak) - levels(i));
    }
    return peak;
  }
};

template <typename Device, typename Level>
class DrawdownOp : public OpKernel {
 public:
  explicit DrawdownOp(OpKernelConstruction* construction) : OpKernel(construction) {}

  void Compute(OpKernelContext* context) override {
    const Tensor& levels = context->input(0);
    Tensor* below = NULL;
    OP_REQUIRES_OK(context, context->allocate_output(0, levels.shape(), &below));
    OP_REQUIRES(context, levels.NumElements() < tensorflow::kint32max, errors::ResourceExhausted("a series too long to rank"));
    const int64 peak = BelowPeak<Device, Level>()(levels.flat<Level>(), below->flat<Level>());
    VLOG(1) << "highest at " << peak << " of " << static_cast<const void*>(levels.flat<Level>().data());
  }
};

#define REGISTER_DRAWDOWN(Type)                                         \
  REGISTER_KERNEL_BUILDER(                                              \
      Name("Drawdown").Device(DEVICE_CPU).TypeConstraint<Type>("Level"), \
      DrawdownOp<Cpu, Type>);
TF_CALL_REAL_NUMBER_TYPES(REGISTER_DRAWDOWN);
#undef REGISTER_DRAWDOWN
