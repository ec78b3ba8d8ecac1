// tests/cuda/random_draws.cu.cc: a TensorFlow op whose GPU kernel draws random numbers, one group per thread.
// SPDX-License-Identifier: Apache-2.0
#define EIGEN_USE_GPU

#include "tensorflow/core/framework/op.h"
#include "tensorflow/core/framework/op_kernel.h"
#include "tensorflow/core/lib/random/philox_random.h"
#include "tensorflow/core/lib/random/random_distributions.h"
#include "tensorflow/core/util/gpu_kernel_helper.h"
#include "tensorflow/core/util/guarded_philox_random.h"

namespace tensorflow {
namespace {

using random::PhiloxRandom;
using random::SingleSampleAdapter;

REGISTER_OP("GpuRandomDraws")
    .Output("uniform: float")
    .Output("normal: float")
    .Output("truncated: double")
    .Output("integers: int64")
    .Attr("n: int")
    .Attr("seed: int = 0")
    .Attr("seed2: int = 0")
    .SetShapeFn([](shape_inference::InferenceContext* c) {
      int64_t n = 0;
      TF_RETURN_IF_ERROR(c->GetAttr("n", &n));
      for (int i = 0; i < 4; ++i) c->set_output(i, c->Vector(n));
      return OkStatus();
    });

template <typename Distribution, typename T>
__global__ void Fill(PhiloxRandom generator, Distribution distribution, int n, T* out) {
  constexpr int kGroup = Distribution::kResultElementCount;
  for (int group : GpuGridRangeX((n + kGroup - 1) / kGroup)) {
    PhiloxRandom own = generator;
    own.Skip(group);
    const auto numbers = distribution(&own);
    for (int i = 0; i < kGroup && group * kGroup + i < n; ++i) out[group * kGroup + i] = numbers[i];
  }
}

// Each group may consume up to 256 numbers per output.
template <typename Distribution, typename T>
__global__ void FillOneByOne(PhiloxRandom generator, Distribution distribution, int n, T* out) {
  constexpr int kGroup = Distribution::kResultElementCount;
  for (int group : GpuGridRangeX((n + kGroup - 1) / kGroup)) {
    PhiloxRandom own = generator;
    own.Skip(static_cast<uint64>(group) * kGroup * 256 / PhiloxRandom::kResultElementCount);
    SingleSampleAdapter<PhiloxRandom> one_by_one(&own);
    const auto numbers = distribution(&one_by_one);
    for (int i = 0; i < kGroup && group * kGroup + i < n; ++i) out[group * kGroup + i] = numbers[i];
  }
}

class GpuRandomDrawsOp : public OpKernel {
 public:
  explicit GpuRandomDrawsOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, generator_.Init(context));
    OP_REQUIRES_OK(context, context->GetAttr("n", &n_));
  }

  void Compute(OpKernelContext* context) override {
    const PhiloxRandom generator = generator_.ReserveRandomOutputs(n_, 256);
    const cudaStream_t stream = context->gpu_stream();
    const auto launch = [&](auto kernel, auto distribution, auto* out) {
      OP_REQUIRES_OK(context, GpuLaunchKernel(kernel, 2, 32, 0, stream, generator, distribution, n_, out));
    };
    Tensor* outputs[4] = {};
    for (int i = 0; i < 4; ++i) {
      OP_REQUIRES_OK(context, context->allocate_output(i, TensorShape({n_}), &outputs[i]));
    }
    typedef random::UniformDistribution<PhiloxRandom, float> Uniform;
    typedef random::NormalDistribution<PhiloxRandom, float> Normal;
    typedef random::TruncatedNormalDistribution<SingleSampleAdapter<PhiloxRandom>, double> Truncated;
    typedef random::UniformDistribution<PhiloxRandom, int64> Integers;
    launch(Fill<Uniform, float>, Uniform(), outputs[0]->flat<float>().data());
    launch(Fill<Normal, float>, Normal(), outputs[1]->flat<float>().data());
    launch(FillOneByOne<Truncated, double>, Truncated(), outputs[2]->flat<double>().data());
    launch(Fill<Integers, int64>, Integers(-3, 1000), outputs[3]->flat<int64>().data());
  }

 private:
  GuardedPhiloxRandom generator_;
  int n_ = 0;
};

REGISTER_KERNEL_BUILDER(Name("GpuRandomDraws").Device(DEVICE_GPU), GpuRandomDrawsOp);

}  // namespace
}  // namespace tensorflow
