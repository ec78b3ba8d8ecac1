// plugins/array_ops/array_ops.cu.cc: ops on a GPU that reorder, repeat, reshape or select the elements of their input,
// or make elements.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include "elements.h"
#include "indexed_ops.h"
#include "indices.h"
#include "moving_ops.h"
#include "opsrun/gpu_copy.h"
#include "opsrun/gpu_elements.h"
#include "opsrun/gpu_kernel_helper.h"
#include "random_numbers.h"
#include "range.h"
#include "space_to_batch.h"
#include "view.h"

namespace array_ops {
namespace {

struct GpuMoves {
  static Status CopyFromView(OpKernelContext* context, const View& view, const Tensor& array, Tensor* dense) {
    return Copy(context, view, true, array, view.offset, dense, 0);
  }
  static Status CopyToView(OpKernelContext* context, const View& view, const Tensor& dense, Tensor* array) {
    return Copy(context, view, false, dense, 0, array, view.offset);
  }
  static Status FillWithBytes(OpKernelContext* context, const Bytes16& value, Tensor* tensor) {
    return GpuFill(GetGpuStream(context), tensor->NumElements(), DataTypeSize(tensor->dtype()), &value, tensor->data());
  }
  static Status FillWithZeros(OpKernelContext* context, Tensor* tensor) {
    return FillWithBytes(context, Bytes16(), tensor);
  }

 private:
  // Runs the loops over the view. One of `from` and `to` is the array; the other one is dense.
  static Status Copy(OpKernelContext* context, const View& view, bool is_from, const Tensor& from, int64 from_offset,
                     Tensor* to, int64 to_offset) {
    GpuCopyLoops loops;
    int64 inside = view.NumElements();
    if (inside == 0) return Status();
    for (const ViewDim& dim : view.dims) {
      inside /= dim.size;
      loops.AddInside({dim.size, is_from ? dim.stride : inside, is_from ? inside : dim.stride});
    }
    const int64 bytes = DataTypeSize(from.dtype());
    return loops.Enqueue(GetGpuStream(context), bytes, static_cast<const char*>(from.data()) + from_offset * bytes,
                         static_cast<char*>(to->data()) + to_offset * bytes);
  }
};

#define NAME_TYPE(T) DataTypeToEnum<T>::value,
constexpr std::initializer_list<DataType> kOnesOnGpu = {ONES_LIKE_CALL_TYPES(NAME_TYPE)};
#undef NAME_TYPE

#define GPU_KERNEL(name) Name(name).Device(DEVICE_GPU).TypeConstraint("T", kMovedOnGpu).Capturable()
#define REGISTER_VIEW(kernel, ...) REGISTER_KERNEL_BUILDER(kernel, ViewOp<__VA_ARGS__, GpuMoves>)

REGISTER_VIEW(GPU_KERNEL("ExpandDims").HostMemory("dim"), PlainView<FindExpandDims>)
REGISTER_VIEW(GPU_KERNEL("Squeeze"), SqueezeView)
REGISTER_VIEW(GPU_KERNEL("Transpose").HostMemory("perm"), PlainView<FindTranspose>)
REGISTER_VIEW(GPU_KERNEL("Slice").HostMemory("begin").HostMemory("size"), PlainView<FindSlice>)
REGISTER_VIEW(GPU_KERNEL("StridedSlice").HostMemory("begin").HostMemory("end").HostMemory("strides"), StridedSliceView)
REGISTER_VIEW(GPU_KERNEL("Reverse").HostMemory("dims"), PlainView<FindReverse>)
REGISTER_VIEW(GPU_KERNEL("ReverseV2").HostMemory("axis"), PlainView<FindReverseV2>)
REGISTER_VIEW(GPU_KERNEL("Tile").HostMemory("multiples"), PlainView<FindTile>)
REGISTER_VIEW(GPU_KERNEL("BroadcastTo").HostMemory("shape"), PlainView<FindBroadcastTo>)
REGISTER_KERNEL_BUILDER(
    GPU_KERNEL("StridedSliceGrad").HostMemory("shape").HostMemory("begin").HostMemory("end").HostMemory("strides"),
    StridedSliceGradOp<GpuMoves>)
REGISTER_KERNEL_BUILDER(GPU_KERNEL("Concat").HostMemory("concat_dim"), ConcatOp<GpuMoves>)
REGISTER_KERNEL_BUILDER(GPU_KERNEL("ConcatV2").HostMemory("axis"), ConcatOp<GpuMoves>)
REGISTER_KERNEL_BUILDER(GPU_KERNEL("SpaceToBatchND").HostMemory("block_shape").HostMemory("paddings"),
                        FunctionOp<MoveBlocks<GpuMoves, true>>)
REGISTER_KERNEL_BUILDER(GPU_KERNEL("BatchToSpaceND").HostMemory("block_shape").HostMemory("crops"),
                        FunctionOp<MoveBlocks<GpuMoves, false>>)
REGISTER_KERNEL_BUILDER(GPU_KERNEL("Identity"), IdentityOp)
REGISTER_KERNEL_BUILDER(GPU_KERNEL("StopGradient"), IdentityOp)
REGISTER_KERNEL_BUILDER(GPU_KERNEL("ZerosLike"), FunctionOp<FillLike<GpuMoves, false>>)
REGISTER_KERNEL_BUILDER(Name("OnesLike").Device(DEVICE_GPU).TypeConstraint("T", kOnesOnGpu).Capturable(),
                        FunctionOp<FillLike<GpuMoves, true>>)

// These ops read no elements, so the input stays on the GPU; their result is in host memory, where it is needed.
#define REGISTER_SIZE(Int)                                                                         \
  REGISTER_KERNEL_BUILDER(GPU_KERNEL("Size").TypeConstraint<Int>("out_type").HostMemory("output"), \
                          FunctionOp<GiveSize<Int>>)
REGISTER_SIZE(int32)
REGISTER_SIZE(int64)
REGISTER_KERNEL_BUILDER(GPU_KERNEL("Rank").HostMemory("output"), FunctionOp<GiveRank>)

// Range and random numbers: element i is a function of i.

template <typename T>
__global__ void __launch_bounds__(kGpuThreads)
    FillRangeElements(int64 n, RangeWide<T> start, RangeWide<T> delta, T* out) {
  for (int64 i : GpuGridRangeX(n)) out[i] = RangeNumber<T>(start, i, delta);
}

template <typename T>
Status FillRange(OpKernelContext* context, RangeWide<T> start, RangeWide<T> delta, int64 count, T* to) {
  if (count == 0) return Status();
  return GpuLaunchKernel(FillRangeElements<T>, GpuBlocks(count), kGpuThreads, 0, GetGpuStream(context), count, start,
                         delta, to);
}
#define REGISTER_RANGE(T)                                \
  REGISTER_KERNEL_BUILDER(Name("Range")                  \
                              .Device(DEVICE_GPU)        \
                              .TypeConstraint<T>("Tidx") \
                              .HostMemory("start")       \
                              .HostMemory("limit")       \
                              .HostMemory("delta")       \
                              .Capturable(),             \
                          FunctionOp<MakeRange<T, FillRange<T>>>);
RANGE_CALL_TYPES(REGISTER_RANGE)

template <typename Index, typename E>
__global__ void __launch_bounds__(kGpuThreads)
    OneHotElements(int64 n, GpuPlaces<2> places, const Index* indices, const E* on, const E* off, E* out) {
  for (int64 i : GpuGridRangeX(n)) {
    int64 at[2];
    places.Find(i, at);
    out[i] = static_cast<int64>(indices[at[0]]) == at[1] ? *on : *off;
  }
}

template <typename Index>
Status WriteOneHot(OpKernelContext* context, const OneHotLayout& l, Tensor* output) {
  GpuPlaces<2> places;
  const int64 of_prefix[] = {l.suffix, 0}, of_depth[] = {0, 1}, of_suffix[] = {1, 0};
  places.AddInside(l.prefix, of_prefix);
  places.AddInside(l.depth, of_depth);
  places.AddInside(l.suffix, of_suffix);
  return VisitGpuElement(DataTypeSize(output->dtype()), [&](auto element) {
    typedef decltype(element) E;
    const int64 n = output->NumElements();
    return GpuLaunchKernel(OneHotElements<Index, E>, GpuBlocks(n), kGpuThreads, 0, GetGpuStream(context), n, places,
                           static_cast<const Index*>(context->input(l.kIndices).data()),
                           static_cast<const E*>(context->input(l.kOn).data()),
                           static_cast<const E*>(context->input(l.kOff).data()), static_cast<E*>(output->data()));
  });
}

#define REGISTER_ONE_HOT(TI)                                    \
  REGISTER_KERNEL_BUILDER(Name("OneHot")                        \
                              .Device(DEVICE_GPU)               \
                              .TypeConstraint("T", kMovedOnGpu) \
                              .TypeConstraint<TI>("TI")         \
                              .HostMemory("depth")              \
                              .Capturable(),                    \
                          OneHotOp<WriteOneHot<TI>>)
REGISTER_ONE_HOT(uint8)
REGISTER_ONE_HOT(int8)
REGISTER_ONE_HOT(int32)
REGISTER_ONE_HOT(int64)

template <typename Numbers, typename T>
__global__ void __launch_bounds__(kGpuThreads) DrawElements(int64 n, uint64_t seed, uint64_t first, T* out) {
  for (int64 i : GpuGridRangeX(n)) out[i] = Numbers::template Of<T>(RandomBits(seed, first + static_cast<uint64_t>(i)));
}

template <typename Numbers>
struct GpuDraws {
  template <typename T>
  static Status Run(OpKernelContext* context, uint64_t seed, uint64_t first, int64 n, T* to) {
    if (n == 0) return Status();
    return GpuLaunchKernel(DrawElements<Numbers, T>, GpuBlocks(n), kGpuThreads, 0, GetGpuStream(context), n, seed,
                           first, to);
  }
};

// Not capturable: each run draws other numbers.
#define GPU_RANDOM(name, T, Numbers)                                                                    \
  REGISTER_KERNEL_BUILDER(Name(name).Device(DEVICE_GPU).TypeConstraint<T>("dtype").HostMemory("shape"), \
                          RandomOp<T, GpuDraws<Numbers>>);
#define REGISTER_RANDOM(T)                             \
  GPU_RANDOM("RandomUniform", T, UniformNumbers)       \
  GPU_RANDOM("RandomStandardNormal", T, NormalNumbers) \
  GPU_RANDOM("RandomNormal", T, NormalNumbers)
TF_CALL_FLOAT_TYPES(REGISTER_RANDOM)

}  // namespace
}  // namespace array_ops

#endif  // GOOGLE_CUDA
