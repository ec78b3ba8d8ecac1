// plugins/math_ops/softmax.cu.cc: Softmax and LogSoftmax on a GPU.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include "gpu_reduce.cu.h"

namespace math_ops {
namespace {

// Combines the lanes of a row; every lane returns the result.
template <typename Fold, typename W>
__device__ inline W CombineInAll(W own, int lanes) {
  __shared__ W results[kGpuThreads];
  const int thread = static_cast<int>(threadIdx.x);
  const W result = CombineLanes<Fold>(own, lanes, /*is_line=*/true);
  if (thread % lanes == 0) results[thread] = result;
  __syncthreads();
  return results[thread / lanes * lanes];
}

// Subtracts the maximum first, so that exponentials do not overflow. `out` may be `in`.
template <typename T>
__global__ void __launch_bounds__(kGpuThreads)
    SoftmaxRows(int64 rows, int64 size, int lanes, bool is_log, const T* in, T* out) {
  typedef Wide<T> W;
  const int rows_of_block = kGpuThreads / lanes, lane = static_cast<int>(threadIdx.x) % lanes;
  for (int64 first = int64{blockIdx.x} * rows_of_block; first < rows; first += int64{gridDim.x} * rows_of_block) {
    const int64 row = first + threadIdx.x / static_cast<unsigned>(lanes);
    const int64 begin = row * size, end = row < rows ? begin + size : begin;
    W largest = MaxFold::Start<T>();
    for (int64 i = begin + lane; i < end; i += lanes) largest = MaxFold::Combine(largest, static_cast<W>(in[i]));
    largest = CombineInAll<MaxFold>(largest, lanes);
    W sum = W(0);
    for (int64 i = begin + lane; i < end; i += lanes) sum += std::exp(static_cast<W>(in[i]) - largest);
    sum = CombineInAll<SumFold>(sum, lanes);
    const W log = is_log ? std::log(sum) : W(0);
    for (int64 i = begin + lane; i < end; i += lanes) {
      const W x = static_cast<W>(in[i]) - largest;
      out[i] = static_cast<T>(is_log ? x - log : std::exp(x) / sum);
    }
  }
}

template <typename T, bool kLog>
class SoftmaxOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    const Tensor& logits = context->input(0);
    OP_REQUIRES(
        context, logits.dims() >= 1,
        errors::InvalidArgument("logits must have at least one dimension, but are a scalar").Blame("input:logits"));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->forward_input_or_allocate_output({0}, 0, logits.shape(), &output));
    if (logits.NumElements() == 0) return;
    const int64 size = logits.dim_size(logits.dims() - 1), rows = logits.NumElements() / size;
    const int lanes = LanesFor(size);
    OP_REQUIRES_OK(context, GpuLaunchKernel(SoftmaxRows<T>, GpuBlocks(rows * lanes), kGpuThreads, 0,
                                            GetGpuStream(context), rows, size, lanes, kLog,
                                            static_cast<const T*>(logits.data()), static_cast<T*>(output->data())));
  }
};

#define REGISTER_SOFTMAX(T)                                                                                            \
  REGISTER_KERNEL_BUILDER(Name("Softmax").Device(DEVICE_GPU).TypeConstraint<T>("T").Capturable(), SoftmaxOp<T, false>) \
  REGISTER_KERNEL_BUILDER(Name("LogSoftmax").Device(DEVICE_GPU).TypeConstraint<T>("T").Capturable(), SoftmaxOp<T, true>)
REGISTER_SOFTMAX(half)
REGISTER_SOFTMAX(bfloat16)
REGISTER_SOFTMAX(float)
REGISTER_SOFTMAX(double)

}  // namespace
}  // namespace math_ops

#endif  // GOOGLE_CUDA
