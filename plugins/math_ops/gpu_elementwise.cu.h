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

// How packs of the output of two operands are read. Operands with rows of an odd size, or at an odd address, are read
// element by element, but all elements of a pack at the same time.
struct GpuBroadcast {
  GpuPlaces<4> places;         // in x, in y, in the inner dimension, and in the two inner ones
  int64 head = 0, packs = 0;   // elements before the first aligned pack of the output, and aligned packs
  int64 inner = 1, plane = 1;  // the sizes of the inner dimension and of the two inner ones
  int64 steps[2], jumps[2];    // to an operand's next element: in the inner dimension, and at its end
  bool is_whole = false;       // packs are in one row, and aligned in operands that walk along it

  // Requires: there are elements.
  GpuBroadcast(const Broadcast& broadcast, int pack);
};

inline GpuBroadcast::GpuBroadcast(const Broadcast& broadcast, int pack) {
  const int rank = broadcast.rank();
  inner = broadcast.dim(rank - 1).size;
  plane = rank == 1 ? inner : inner * broadcast.dim(rank - 2).size;
  is_whole = rank == 1 || inner % pack == 0;
  for (int k = 0; k < 2; ++k) {
    steps[k] = broadcast.dim(rank - 1).steps[k];
    jumps[k] = rank == 1 ? 0 : broadcast.dim(rank - 2).steps[k] - (inner - 1) * steps[k];
  }
  for (int d = 0; d < rank; ++d) {
    const Broadcast::Dim& dim = broadcast.dim(d);
    const int64 in_row = d == rank - 1 ? 1 : 0, in_plane = d == rank - 2 ? inner : in_row;
    const int64 all[] = {dim.steps[0], dim.steps[1], in_row, in_plane};
    places.AddInside(dim.size, all);
    for (int k = 0; k < 2 && d < rank - 1; ++k) is_whole = is_whole && dim.steps[k] * steps[k] % pack == 0;
  }
}

// The elements of an operand for a pack of the output, which begins at `at`.
template <int kPack, typename T>
__device__ inline GpuPack<T, kPack> ReadPack(const GpuBroadcast& work, int operand, const T* from,
                                             const int64 (&at)[4]) {
  const int64 step = work.steps[operand];
  const T* place = from + at[operand];
  GpuPack<T, kPack> pack;
  if (work.is_whole && step != 0) return *reinterpret_cast<const GpuPack<T, kPack>*>(place);
  if (work.is_whole) {
    for (T& element : pack.elements) element = *place;
    return pack;
  }
  int64 left = work.inner - at[2];
  for (T& element : pack.elements) {
    element = *place;
    --left;
    place += left > 0 ? step : work.jumps[operand];
    if (left == 0) left = work.inner;
  }
  return pack;
}

template <typename Function, typename R, int kPack, typename T>
__global__ void __launch_bounds__(kGpuThreads)
    BroadcastElements(GpuBroadcast work, int64 n, const T* x, const T* y, R* out) {
  int64 at[4];
  const int64 packed = work.packs * kPack;
  for (int64 i : GpuGridRangeX(work.packs + n - packed)) {  // packs, and then the elements outside of them
    const int64 single = i - work.packs;
    int64 first = single < 0 ? work.head + i * kPack : single < work.head ? single : single + packed;
    work.places.Find(first, at);
    if (single < 0 && at[3] + kPack <= work.plane) {
      GpuPack<R, kPack> results;
      ApplyToPacks<Function>(&results, ReadPack<kPack>(work, 0, x, at), ReadPack<kPack>(work, 1, y, at));
      *reinterpret_cast<GpuPack<R, kPack>*>(out + first) = results;
      continue;
    }
    for (const int64 end = first + (single < 0 ? kPack : 1); first < end; ++first) {
      work.places.Find(first, at);
      out[first] = Apply<Function>(x[at[0]], y[at[1]]);
    }
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
    typedef ResultOf<Function, T, T> R;
    constexpr int kPack = kGpuPackSize<T, R>;
    R* const out = static_cast<R*>(outs);
    GpuBroadcast work(broadcast, kPack);
    work.head = std::min<int64>(n, -static_cast<int64>(reinterpret_cast<uintptr_t>(out) / sizeof(R)) & (kPack - 1));
    work.packs = IsAlignedFor<R, kPack>(out + work.head) ? (n - work.head) / kPack : 0;
    work.is_whole = work.is_whole && work.head == 0 && (work.steps[0] == 0 || IsAlignedFor<T, kPack>(x)) &&
                    (work.steps[1] == 0 || IsAlignedFor<T, kPack>(y));
    return GpuLaunchKernel(BroadcastElements<Function, R, kPack, T>, GpuBlocks(n - work.packs * (kPack - 1)),
                           kGpuThreads, 0, stream, work, n, x, y, out);
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
