// my_op.cu.cc: the kernel of MyOp for GPUs. The plugin is complete without it, which is how it is built without nvcc.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include <algorithm>
#include <cmath>

#include "opsrun/gpu_kernel_helper.h"
#include "opsrun/op_kernel.h"

namespace {

using namespace opsrun;

template <typename T>
__global__ void Multiply(int64 n, T factor, const T* in, T* out) {
  const int64 step = int64{blockDim.x} * gridDim.x;
  for (int64 i = int64{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += step) out[i] = in[i] * factor;
}

template <typename T>
class MyOpGpuKernel : public OpKernel {
 public:
  explicit MyOpGpuKernel(OpKernelConstruction* context) : OpKernel(context) {
    float factor = 0;
    OP_REQUIRES_OK(context, context->GetAttr("factor", &factor));
    OP_REQUIRES(context, std::isfinite(factor), errors::InvalidArgument("factor must be finite, got ", factor));
    factor_ = static_cast<T>(factor);
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& x = context->input(0);
    Tensor* y = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, x.shape(), &y));
    const int64 n = x.NumElements();
    if (n == 0) return;  // a grid of no blocks cannot be launched
    constexpr int64 kThreads = 256;
    constexpr int64 kMaxBlocks = 4096;  // enough to fill any GPU; the kernel's loop covers the rest
    const int64 blocks = std::min((n + kThreads - 1) / kThreads, kMaxBlocks);
    OP_REQUIRES_OK(context,
                   GpuLaunchKernel(Multiply<T>, dim3(static_cast<unsigned>(blocks)), dim3(kThreads), 0,
                                   GetGpuStream(context), n, factor_, x.flat<T>().data(), y->flat<T>().data()));
  }

 private:
  T factor_ = 0;
};

#define REGISTER_MY_OP(T) \
  REGISTER_KERNEL_BUILDER(Name("MyOp").Device(DEVICE_GPU).TypeConstraint<T>("T").Capturable(), MyOpGpuKernel<T>);
REGISTER_MY_OP(float)
REGISTER_MY_OP(double)
#undef REGISTER_MY_OP

}  // namespace

#endif  // GOOGLE_CUDA
