// plugins/math_ops/gpu_elementwise.cu.h: element-wise kernels of one and of two tensors, on a GPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "broadcast.h"
#include "gpu_complex.cu.h"
#include "opsrun/gpu_elements.h"
#include "opsrun/gpu_kernel_helper.h"

// The start of a registration for the types of a list: ON_GPU("Neg", Floats).Capturable().
#define ON_GPU(name, Types) Name(name).Device(DEVICE_GPU).TypeConstraint("T", TypesOf<Types>::kAll)

namespace math_ops {

// The positions of elements in broadcast operands, for GPU kernels.

// Requires: the output has elements.
template <int kOperands>
GpuPlaces<kOperands> PlacesOf(const Broadcast& broadcast) {
  GpuPlaces<kOperands> places;
  for (int d = 0; d < broadcast.rank(); ++d) places.AddInside(broadcast.dim(d).size, broadcast.dim(d).steps);
  return places;
}

// GPU kernels that compute each element from one or more. The functions are the same as on the CPU, see
// simple_loops.h.

// Ts: the same type for each operand.
template <typename Function, typename... Ts>
using ResultOf = Element<std::common_type_t<Ts...>, decltype(Function()(Wide<Ts>()...))>;

template <typename Function, typename... Ts>
__device__ inline ResultOf<Function, Ts...> Apply(Ts... x) {
  return static_cast<ResultOf<Function, Ts...>>(Function()(static_cast<Wide<Ts>>(x)...));
}

// An operand with an element for each one of the output, and one that may be a single element.
template <typename T>
struct GpuWalk {
  typedef T Type;
  const T* data;
  static constexpr bool walks = true;
};
template <typename T>
struct GpuOperand {
  typedef T Type;
  const T* data;
  bool walks;
};

template <int kPack, typename Operand>
__device__ inline auto LoadPack(const Operand& from, int64 i) {
  typedef GpuPack<typename Operand::Type, kPack> Pack;
  if (from.walks) return reinterpret_cast<const Pack*>(from.data)[i];
  Pack pack;
  for (auto& element : pack.elements) element = *from.data;
  return pack;
}

template <typename Function, typename R, int kPack, typename... Packs>
__device__ inline void ApplyToPacks(GpuPack<R, kPack>* results, const Packs&... x) {
  for (int k = 0; k < kPack; ++k) results->elements[k] = Apply<Function>(x.elements[k]...);
}

// packs: the number of aligned packs of kPack elements.
template <typename Function, typename R, int kPack, typename... Operands>
__global__ void __launch_bounds__(kGpuThreads) MapElements(int64 packs, int64 n, R* out, Operands... in) {
  for (int64 i : GpuGridRangeX(packs)) {
    GpuPack<R, kPack> results;
    ApplyToPacks<Function>(&results, LoadPack<kPack>(in, i)...);
    reinterpret_cast<GpuPack<R, kPack>*>(out)[i] = results;
  }
  const int64 done = packs * kPack;
  for (int64 i : GpuGridRangeX(n - done)) out[done + i] = Apply<Function>(in.data[in.walks ? done + i : 0]...);
}

// out[i] = f(in[i]...) for i in [0, n). `out` may be an operand that walks.
template <typename Function, typename... Operands>
Status LaunchMap(gpuStream_t stream, int64 n, void* outs, const Operands&... in) {
  typedef ResultOf<Function, typename Operands::Type...> R;
  constexpr int kPack = kGpuPackSize<std::common_type_t<typename Operands::Type...>, R>;
  R* const out = static_cast<R*>(outs);
  const bool is_aligned =
      IsAlignedFor<R, kPack>(out) && ((!in.walks || IsAlignedFor<typename Operands::Type, kPack>(in.data)) && ...);
  const int64 packs = is_aligned ? n / kPack : 0;
  return GpuLaunchKernel(MapElements<Function, R, kPack, Operands...>, GpuBlocks(std::max(packs, n - packs * kPack)),
                         kGpuThreads, 0, stream, packs, n, out, in...);
}

template <typename Function, typename T>
__global__ void __launch_bounds__(kGpuThreads)
    BroadcastElements(int64 n, GpuPlaces<2> places, const T* x, const T* y, ResultOf<Function, T, T>* out) {
  for (int64 i : GpuGridRangeX(n)) {
    int64 at[2];
    places.Find(i, at);
    out[i] = Apply<Function>(x[at[0]], y[at[1]]);
  }
}

// `out` may be an operand that has its shape.
typedef Status (*GpuBinaryLoop)(gpuStream_t stream, const Broadcast& broadcast, const void* x, const void* y,
                                void* out);

template <typename Function>
struct GpuBinaryLoops {
  template <typename OnCpu>
  static Status Run(gpuStream_t stream, const Broadcast& broadcast, const void* xs, const void* ys, void* outs) {
    typedef GpuType<OnCpu> T;
    const T *const x = static_cast<const T*>(xs), *const y = static_cast<const T*>(ys);
    const int64 n = broadcast.shape().num_elements();
    if (n == 0) return Status();
    if (broadcast.rank() == 1) {
      const Broadcast::Dim& dim = broadcast.dim(0);
      return LaunchMap<Function>(stream, n, outs, GpuOperand<T>{x, dim.steps[0] != 0},
                                 GpuOperand<T>{y, dim.steps[1] != 0});
    }
    return GpuLaunchKernel(BroadcastElements<Function, T>, GpuBlocks(n), kGpuThreads, 0, stream, n,
                           PlacesOf<2>(broadcast), x, y, static_cast<ResultOf<Function, T, T>*>(outs));
  }
};

// kSwap: computes f(y, x).
template <typename Function, typename Types, bool kSwap = false>
class GpuBinaryOp : public OpKernel {
 public:
  explicit GpuBinaryOp(OpKernelConstruction* context)
      : OpKernel(context), loop_(LoopFor<GpuBinaryLoops<Function>>(context->input_type(0), Types())) {}

  void Compute(OpKernelContext* context) override {
    const Tensor &x = context->input(kSwap ? 1 : 0), &y = context->input(kSwap ? 0 : 1);
    Broadcast broadcast;
    OP_REQUIRES_OK(context, broadcast.Make({x.shape(), y.shape()}));
    ComputeBroadcast(context, broadcast, broadcast.shape());
  }

 protected:
  // Computes the output. Its shape has as many elements as the broadcast of the operands, or of their reshaped forms.
  void ComputeBroadcast(OpKernelContext* context, const Broadcast& broadcast, const TensorShape& shape) {
    const Tensor &x = context->input(kSwap ? 1 : 0), &y = context->input(kSwap ? 0 : 1);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, MakeOutput(context, {0, 1}, shape, &output));
    OP_REQUIRES_OK(context, loop_(GetGpuStream(context), broadcast, x.data(), y.data(), output->data()));
  }

 private:
  const GpuBinaryLoop loop_;
};

#define REGISTER_GPU_BINARY(name, Function, Types) \
  REGISTER_KERNEL_BUILDER(ON_GPU(name, Types).Capturable(), GpuBinaryOp<Function, Types>)

// out[i] = f(in[i]) for i in [0, n). `out` may be `in`.
typedef Status (*GpuUnaryLoop)(gpuStream_t stream, const void* in, void* out, int64 n);

template <typename Function>
struct GpuUnaryLoops {
  template <typename OnCpu>
  static Status Run(gpuStream_t stream, const void* in, void* out, int64 n) {
    typedef GpuType<OnCpu> T;
    return LaunchMap<Function>(stream, n, out, GpuWalk<T>{static_cast<const T*>(in)});
  }
};

template <typename Function, typename Types>
class GpuUnaryOp : public OpKernel {
 public:
  explicit GpuUnaryOp(OpKernelConstruction* context)
      : OpKernel(context), loop_(LoopFor<GpuUnaryLoops<Function>>(context->input_type(0), Types())) {}

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(0);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, MakeOutput(context, {0}, input.shape(), &output));
    OP_REQUIRES_OK(context, loop_(GetGpuStream(context), input.data(), output->data(), input.NumElements()));
  }

 private:
  const GpuUnaryLoop loop_;
};

#define REGISTER_GPU_UNARY(name, Function, Types) \
  REGISTER_KERNEL_BUILDER(ON_GPU(name, Types).Capturable(), GpuUnaryOp<Function, Types>)

}  // namespace math_ops
