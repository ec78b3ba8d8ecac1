// compat/tests/ported/random_draws_op.cc: a TensorFlow op that draws random numbers on the threads of the host.
// SPDX-License-Identifier: Apache-2.0
#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/framework/register_types.h"
#include "tensorflow/core/framework/shape_inference.h"
#include "tensorflow/core/kernels/random_op.h"
#include "tensorflow/core/lib/random/random_distributions.h"
#include "tensorflow/core/lib/random/simple_philox.h"
#include "tensorflow/core/util/guarded_philox_random.h"

namespace tensorflow {
namespace {

using random::PhiloxRandom;

REGISTER_OP("Draws")
    .Input("shape: int32")
    .Output("numbers: T")
    .Attr("T: {half, bfloat16, float, double}")
    .Attr("kind: {'uniform', 'normal', 'truncated normal'}")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .SetIsStateful()
    .SetShapeFn(shape_inference::RandomShape);

REGISTER_OP("Shuffled")
    .Input("values: int32")
    .Output("shuffled: int32")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .SetShapeFn(shape_inference::UnchangedShape);

// The numbers of RandomUniform, RandomStandardNormal and TruncatedNormal.
template <typename Device, typename T>
class DrawsOp : public OpKernel {
 public:
  explicit DrawsOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, generator_.Init(context));
    OP_REQUIRES_OK(context, context->GetAttr("kind", &kind_));
  }

  void Compute(OpKernelContext* context) override {
    TensorShape shape;
    OP_REQUIRES_OK(context, TensorShapeUtils::MakeShape(context->input(0).vec<int32>(), &shape));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    if (kind_ == "uniform") {
      Fill<random::UniformDistribution<PhiloxRandom, T>>(context, output);
    } else if (kind_ == "normal") {
      Fill<random::NormalDistribution<PhiloxRandom, T>>(context, output);
    } else {
      Fill<random::TruncatedNormalDistribution<random::SingleSampleAdapter<PhiloxRandom>, T>>(context, output);
    }
  }

 private:
  template <typename Distribution>
  void Fill(OpKernelContext* context, Tensor* output) {
    auto numbers = output->flat<T>();
    functor::FillPhiloxRandom<Device, Distribution>()(
        context, context->eigen_device<Device>(), /*key=*/nullptr, /*counter=*/nullptr,
        generator_.ReserveRandomOutputs(numbers.size(), 256), numbers.data(), numbers.size(), Distribution());
  }

  GuardedPhiloxRandom generator_;
  string kind_;
};

class ShuffledOp : public OpKernel {
 public:
  explicit ShuffledOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, generator_.Init(context));
  }

  void Compute(OpKernelContext* context) override {
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->forward_input_or_allocate_output({0}, 0, context->input(0).shape(), &output));
    const auto in = context->input(0).flat<int32>();
    auto out = output->flat<int32>();
    PhiloxRandom generator = generator_.ReserveSamples32(in.size());
    random::SimplePhilox numbers(&generator);
    for (int64_t i = 0; i < in.size(); ++i) {
      const int64_t at = numbers.Uniform(static_cast<uint32>(i + 1));
      const int32 value = in(i);
      out(i) = out(at);
      out(at) = value;
    }
  }

 private:
  GuardedPhiloxRandom generator_;
};

#define REGISTER(T) \
  REGISTER_KERNEL_BUILDER(Name("Draws").Device(DEVICE_CPU).TypeConstraint<T>("T"), DrawsOp<Eigen::ThreadPoolDevice, T>);
TF_CALL_half(REGISTER) TF_CALL_bfloat16(REGISTER) TF_CALL_float(REGISTER) TF_CALL_double(REGISTER)
    REGISTER_KERNEL_BUILDER(Name("Shuffled").Device(DEVICE_CPU), ShuffledOp);

}  // namespace
}  // namespace tensorflow
