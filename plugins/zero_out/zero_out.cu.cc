// plugins/zero_out/zero_out.cu.cc: ZeroOut on a GPU. A plugin without GPU kernels is complete without this file.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include "opsrun/gpu_kernel_helper.h"
#include "opsrun/op_kernel.h"
#include "opsrun/register_types.h"

namespace {

using namespace opsrun;

// in and out: the element that is kept.
template <typename T>
__global__ void CopyOne(const T* in, T* out) {
  *out = *in;
}

template <typename T>
class ZeroOutOp : public OpKernel {
 public:
  explicit ZeroOutOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, context->GetAttr("preserve_index", &preserve_index_));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& to_zero = context->input(0);
    const int64 n = to_zero.NumElements();
    Tensor* zeroed = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, to_zero.shape(), &zeroed));
    if (n == 0 && preserve_index_ == 0) return;
    OP_REQUIRES(
        context, preserve_index_ < n,
        errors::InvalidArgument("preserve_index is ", preserve_index_, ", but to_zero has only ", n, " elements")
            .Blame("attr:preserve_index"));
    const T* const in = to_zero.flat<T>().data();
    T* const out = zeroed->flat<T>().data();
    const gpuStream_t stream = GetGpuStream(context);
    const cudaError_t error = cudaMemsetAsync(out, 0, static_cast<size_t>(n) * sizeof(T), stream);
    OP_REQUIRES(context, error == cudaSuccess, errors::Internal("zeroed cannot be set: ", cudaGetErrorString(error)));
    OP_REQUIRES_OK(context, GpuLaunchKernel(CopyOne<T>, 1, 1, 0, stream, in + preserve_index_, out + preserve_index_));
  }

 private:
  int64 preserve_index_ = 0;
};

#define REGISTER_ZERO_OUT(T) \
  REGISTER_KERNEL_BUILDER(Name("ZeroOut").Device(DEVICE_GPU).TypeConstraint<T>("T").Capturable(), ZeroOutOp<T>);
TF_CALL_REAL_NUMBER_TYPES(REGISTER_ZERO_OUT)

}  // namespace

#endif  // GOOGLE_CUDA
