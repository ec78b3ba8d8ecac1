// plugins/math_ops/gpu_elementwise.cu.h: element-wise kernels of one and of two tensors, on a GPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "broadcast.h"
#include "opsrun/gpu_elements.h"
#include "opsrun/gpu_kernel_helper.h"
#include "opsrun/gpu_places.h"

#define MATH_OPS_GPU_FLOATS opsrun::DT_HALF, opsrun::DT_BFLOAT16, opsrun::DT_FLOAT, opsrun::DT_DOUBLE
#define MATH_OPS_GPU_SIGNED_INTS opsrun::DT_INT8, opsrun::DT_INT16, opsrun::DT_INT32, opsrun::DT_INT64
#define MATH_OPS_GPU_UNSIGNED_INTS opsrun::DT_UINT8, opsrun::DT_UINT16, opsrun::DT_UINT32, opsrun::DT_UINT64
#define MATH_OPS_GPU_INTS MATH_OPS_GPU_SIGNED_INTS, MATH_OPS_GPU_UNSIGNED_INTS
#define MATH_OPS_GPU_REAL_NUMBERS MATH_OPS_GPU_FLOATS, MATH_OPS_GPU_INTS

namespace math_ops {

using opsrun::GpuBlocks;
using opsrun::GpuPack;
using opsrun::GpuPlaces;
using opsrun::gpuStream_t;
using opsrun::IsAlignedFor;
using opsrun::kGpuPackSize;
using opsrun::kGpuThreads;

// The positions of elements in broadcast operands, for GPU kernels.

// Requires: the output has elements.
template <int kOperands>
opsrun::GpuPlaces<kOperands> PlacesOf(const Broadcast& broadcast) {
  opsrun::GpuPlaces<kOperands> places;
  for (int d = 0; d < broadcast.rank(); ++d) places.AddInside(broadcast.dim(d).size, broadcast.dim(d).steps);
  return places;
}

// GPU kernels that compute each element from two, with broadcasting. The functions are the same as on the CPU, see
// element_loops.h.

// `out` may be an operand that has its shape.
typedef opsrun::Status (*GpuBinaryLoop)(gpuStream_t stream, const Broadcast& broadcast, const void* x, const void* y,
                                        void* out);

template <typename Function, typename T>
using ResultOfTwo = Element<T, decltype(Function()(Wide<T>(), Wide<T>()))>;

template <typename Function, typename T>
__device__ inline ResultOfTwo<Function, T> Apply(T x, T y) {
  return static_cast<ResultOfTwo<Function, T>>(Function()(static_cast<Wide<T>>(x), static_cast<Wide<T>>(y)));
}

template <typename T, int kPack>
__device__ inline GpuPack<T, kPack> LoadPack(const T* data, bool walks, int64 i) {
  if (walks) return reinterpret_cast<const GpuPack<T, kPack>*>(data)[i];
  GpuPack<T, kPack> pack;
  for (T& element : pack.elements) element = *data;
  return pack;
}

// An operand that does not advance is one element. packs: the number of aligned packs of kPack elements.
template <typename Function, typename T, int kPack>
__global__ void __launch_bounds__(kGpuThreads) BinaryElements(int64 packs, int64 n, bool x_walks, bool y_walks,
                                                              const T* x, const T* y, ResultOfTwo<Function, T>* out) {
  typedef ResultOfTwo<Function, T> R;
  for (int64 i : opsrun::GpuGridRangeX(packs)) {
    const GpuPack<T, kPack> xs = LoadPack<T, kPack>(x, x_walks, i), ys = LoadPack<T, kPack>(y, y_walks, i);
    GpuPack<R, kPack> result;
    for (int k = 0; k < kPack; ++k) result.elements[k] = Apply<Function>(xs.elements[k], ys.elements[k]);
    reinterpret_cast<GpuPack<R, kPack>*>(out)[i] = result;
  }
  const int64 done = packs * kPack;
  for (int64 i : opsrun::GpuGridRangeX(n - done)) {
    const int64 at = done + i;
    out[at] = Apply<Function>(x[x_walks ? at : 0], y[y_walks ? at : 0]);
  }
}

template <typename Function, typename T>
__global__ void __launch_bounds__(kGpuThreads)
    BroadcastElements(int64 n, GpuPlaces<2> places, const T* x, const T* y, ResultOfTwo<Function, T>* out) {
  for (int64 i : opsrun::GpuGridRangeX(n)) {
    int64 at[2];
    places.Find(i, at);
    out[i] = Apply<Function>(x[at[0]], y[at[1]]);
  }
}

template <typename Function>
struct GpuBinaryLoops {
  template <typename T>
  static opsrun::Status Run(gpuStream_t stream, const Broadcast& broadcast, const void* xs, const void* ys,
                            void* outs) {
    typedef ResultOfTwo<Function, T> R;
    const T *const x = static_cast<const T*>(xs), *const y = static_cast<const T*>(ys);
    R* const out = static_cast<R*>(outs);
    const int64 n = broadcast.shape().num_elements();
    if (n == 0) return opsrun::Status();
    if (broadcast.rank() == 1) return RunInStep<T>(stream, broadcast.dim(0), x, y, out);
    return opsrun::GpuLaunchKernel(BroadcastElements<Function, T>, GpuBlocks(n), kGpuThreads, 0, stream, n,
                                   PlacesOf<2>(broadcast), x, y, out);
  }

  template <typename T, typename R>
  static opsrun::Status RunInStep(gpuStream_t stream, const Broadcast::Dim& dim, const T* x, const T* y, R* out) {
    constexpr int kPack = kGpuPackSize<T, R>;
    const bool x_walks = dim.steps[0] != 0, y_walks = dim.steps[1] != 0;
    const bool is_aligned = (!x_walks || IsAlignedFor<T, kPack>(x)) && (!y_walks || IsAlignedFor<T, kPack>(y)) &&
                            IsAlignedFor<R, kPack>(out);
    const int64 n = dim.size, packs = is_aligned ? n / kPack : 0;
    return opsrun::GpuLaunchKernel(BinaryElements<Function, T, kPack>, GpuBlocks(std::max(packs, n - packs * kPack)),
                                   kGpuThreads, 0, stream, packs, n, x_walks, y_walks, x, y, out);
  }

  template <typename T>
  static GpuBinaryLoop For() {
    return &Run<LoopType<Function, T>>;
  }
};

// kSwap: computes f(y, x).
template <typename Function, typename Types, bool kSwap = false>
class GpuBinaryOp : public opsrun::OpKernel {
 public:
  explicit GpuBinaryOp(opsrun::OpKernelConstruction* context)
      : OpKernel(context), loop_(LoopFor<GpuBinaryLoops<Function>>(context->input_type(0), Types())) {}

  void Compute(opsrun::OpKernelContext* context) override {
    const opsrun::Tensor &x = context->input(kSwap ? 1 : 0), &y = context->input(kSwap ? 0 : 1);
    Broadcast broadcast;
    OP_REQUIRES_OK(context, broadcast.Make({x.shape(), y.shape()}));
    ComputeBroadcast(context, broadcast, broadcast.shape());
  }

 protected:
  // Computes the output. Its shape has as many elements as the broadcast of the operands, or of their reshaped forms.
  void ComputeBroadcast(opsrun::OpKernelContext* context, const Broadcast& broadcast,
                        const opsrun::TensorShape& shape) {
    const opsrun::Tensor &x = context->input(kSwap ? 1 : 0), &y = context->input(kSwap ? 0 : 1);
    opsrun::Tensor* output = nullptr;
    OP_REQUIRES_OK(context, MakeOutput(context, {0, 1}, shape, &output));
    OP_REQUIRES_OK(context, loop_(opsrun::GetGpuStream(context), broadcast, x.data(), y.data(), output->data()));
  }

 private:
  const GpuBinaryLoop loop_;
};

}  // namespace math_ops

// REGISTER_GPU_BINARY("Add", Add, RealNumbers, MATH_OPS_GPU_REAL_NUMBERS): the types as a TypeList and as constraints.
#define REGISTER_GPU_BINARY(name, function, list, ...)                                                           \
  REGISTER_KERNEL_BUILDER(Name(name).Device(opsrun::DEVICE_GPU).TypeConstraint("T", {__VA_ARGS__}).Capturable(), \
                          GpuBinaryOp<function, list>)

// GPU kernels that compute each element from one element. The functions are the same as on the CPU, see
// element_loops.h.

namespace math_ops {

// out[i] = f(in[i]) for i in [0, n). `out` may be `in`.
typedef opsrun::Status (*GpuUnaryLoop)(gpuStream_t stream, const void* in, void* out, int64 n);

template <typename Function, typename T>
using ResultOf = Element<T, decltype(Function()(Wide<T>()))>;

template <typename Function, typename T>
__device__ inline ResultOf<Function, T> Apply(T x) {
  return static_cast<ResultOf<Function, T>>(Function()(static_cast<Wide<T>>(x)));
}

// packs: the number of aligned packs of kPack elements.
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

// REGISTER_GPU_UNARY("Neg", Neg, Floats, MATH_OPS_GPU_FLOATS): the types as a TypeList and as constraints.
#define REGISTER_GPU_UNARY(name, function, list, ...)                                                            \
  REGISTER_KERNEL_BUILDER(Name(name).Device(opsrun::DEVICE_GPU).TypeConstraint("T", {__VA_ARGS__}).Capturable(), \
                          GpuUnaryOp<function, list>)
