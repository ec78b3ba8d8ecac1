// plugins/math_ops/gpu_unary.cu.h: kernels for GPUs that compute each element from one element. The functions are those
// of the CPU: see element_loops.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_elements.cu.h"
#include "opsrun/op_kernel.h"
#include "output.h"

namespace math_ops {

// out[i] = f(in[i]) for i in [0, n). `out` may be `in`.
typedef opsrun::Status (*GpuUnaryLoop)(gpuStream_t stream, const void* in, void* out, int64 n);

template <typename Function, typename T>
using ResultOf = Element<T, decltype(Function()(Wide<T>()))>;

template <typename Function, typename T>
__device__ inline ResultOf<Function, T> Apply(T x) {
  return static_cast<ResultOf<Function, T>>(Function()(static_cast<Wide<T>>(x)));
}

// packs: how many packs of kPack elements are aligned.
template <typename Function, typename T, int kPack>
__global__ void __launch_bounds__(kGpuThreads)
    UnaryElements(int64 packs, int64 n, const T* in, ResultOf<Function, T>* out) {
  typedef ResultOf<Function, T> R;
  for (int64 i : opsrun::GpuGridRangeX(packs)) {
    const GpuPack<T, kPack> x = reinterpret_cast<const GpuPack<T, kPack>*>(in)[i];
    GpuPack<R, kPack> y;
    for (int k = 0; k < kPack; ++k) y.elements[k] = Apply<Function>(x.elements[k]);
    reinterpret_cast<GpuPack<R, kPack>*>(out)[i] = y;
  }
  const int64 done = packs * kPack;
  for (int64 i : opsrun::GpuGridRangeX(n - done)) out[done + i] = Apply<Function>(in[done + i]);
}

template <typename Function>
struct GpuUnaryLoops {
  template <typename T>
  static opsrun::Status Run(gpuStream_t stream, const void* ins, void* outs, int64 n) {
    typedef ResultOf<Function, T> R;
    constexpr int kPack = kGpuPackSize<T, R>;
    const T* const in = static_cast<const T*>(ins);
    R* const out = static_cast<R*>(outs);
    const int64 packs = IsAlignedFor<T, kPack>(in) && IsAlignedFor<R, kPack>(out) ? n / kPack : 0;
    return opsrun::GpuLaunchKernel(UnaryElements<Function, T, kPack>, GpuBlocks(std::max(packs, n - packs * kPack)),
                                   kGpuThreads, 0, stream, packs, n, in, out);
  }
  template <typename T>
  static GpuUnaryLoop For() {
    return &Run<LoopType<Function, T>>;
  }
};

template <typename Function, typename Types>
class GpuUnaryOp : public opsrun::OpKernel {
 public:
  explicit GpuUnaryOp(opsrun::OpKernelConstruction* context)
      : OpKernel(context), loop_(LoopFor<GpuUnaryLoops<Function>>(context->input_type(0), Types())) {}

  void Compute(opsrun::OpKernelContext* context) override {
    const opsrun::Tensor& input = context->input(0);
    opsrun::Tensor* output = nullptr;
    OP_REQUIRES_OK(context, MakeOutput(context, {0}, input.shape(), &output));
    OP_REQUIRES_OK(context, loop_(opsrun::GetGpuStream(context), input.data(), output->data(), input.NumElements()));
  }

 private:
  const GpuUnaryLoop loop_;
};

}  // namespace math_ops

// REGISTER_GPU_UNARY("Neg", Neg, Floats, MATH_OPS_GPU_FLOATS): the types as a list, and as constraints.
#define REGISTER_GPU_UNARY(name, function, list, ...)                                                            \
  REGISTER_KERNEL_BUILDER(Name(name).Device(opsrun::DEVICE_GPU).TypeConstraint("T", {__VA_ARGS__}).Capturable(), \
                          GpuUnaryOp<function, list>)
