// plugins/array_ops/array_ops.cu.cc: ops on a GPU that reorder, repeat, reshape or select the elements of their input.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include "indexed_ops.h"
#include "indices.h"
#include "moving_ops.h"
#include "opsrun/gpu_copy.h"
#include "opsrun/gpu_elements.h"
#include "opsrun/gpu_kernel_helper.h"
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

// Gather, GatherV2, GatherNd and OneHot.
//
// Indices are checked as on the CPU, so the first three wait for the GPU. Their gradients add slices in the order of
// the indices, which is no work for a GPU: those run on the CPU.

// Vectors of `depth` indices. For each index: its range, and the distance between the slices of neighboring indices.
struct IndexedDims {
  int depth = 0;
  int64 sizes[OPSRUN_MAX_RANK], strides[OPSRUN_MAX_RANK];
};

// Lowers *first to the position of the first index that is out of range.
template <typename Index>
__global__ void __launch_bounds__(kGpuThreads)
    FindOutOfRange(int64 n, IndexedDims dims, const Index* indices, uint64* first) {
  for (int64 i : GpuGridRangeX(n)) {
    const int64 size = dims.sizes[i % dims.depth];
    if (static_cast<uint64>(int64{indices[i]}) >= static_cast<uint64>(size))
      GpuAtomicMin(first, static_cast<uint64>(i));
  }
}

// places: operand 0 is params, without the indices' part; operand 1 is where the vector of indices begins.
template <typename Index, typename E>
__global__ void __launch_bounds__(kGpuThreads)
    GatherElements(int64 n, GpuPlaces<2> places, IndexedDims dims, const E* params, const Index* indices, E* out) {
  for (int64 i : GpuGridRangeX(n)) {
    int64 at[2];
    places.Find(i, at);
    for (int d = 0; d < dims.depth; ++d) at[0] += int64{indices[at[1] + d]} * dims.strides[d];
    out[i] = params[at[0]];
  }
}

Status Await(cudaStream_t stream, cudaError_t enqueued) {
  const cudaError_t error = enqueued != cudaSuccess ? enqueued : cudaStreamSynchronize(stream);
  return error == cudaSuccess ? Status() : errors::Internal("Indices cannot be read: ", cudaGetErrorString(error));
}

// Waits for the GPU. INVALID_ARGUMENT: an index is out of range. `axis` is the dimension of params that the first index
// of a vector selects from.
template <typename Index>
Status CheckOnGpu(OpKernelContext* context, const Tensor& indices, const IndexedDims& dims, int axis) {
  const int64 n = indices.NumElements();
  if (n == 0) return Status();
  const Index* const data = static_cast<const Index*>(indices.data());
  const cudaStream_t stream = GetGpuStream(context);
  Tensor found;
  TF_RETURN_IF_ERROR(context->allocate_temp(DT_UINT64, {}, &found));
  uint64* const first = static_cast<uint64*>(found.data());
  uint64 at = static_cast<uint64>(n);
  TF_RETURN_IF_ERROR(GpuLaunchKernel(SetToValue<uint64>, 1, 1, 0, stream, 1, first, at));
  TF_RETURN_IF_ERROR(
      GpuLaunchKernel(FindOutOfRange<Index>, GpuBlocks(n), kGpuThreads, 0, stream, n, dims, data, first));
  TF_RETURN_IF_ERROR(Await(stream, cudaMemcpyAsync(&at, first, sizeof at, cudaMemcpyDeviceToHost, stream)));
  if (at == static_cast<uint64>(n)) return Status();
  Index index;
  TF_RETURN_IF_ERROR(Await(stream, cudaMemcpyAsync(&index, data + at, sizeof index, cudaMemcpyDeviceToHost, stream)));
  const int64 i = static_cast<int64>(at), d = i % dims.depth;
  return IndexOutOfRange(indices.shape(), i, index, "indices", dims.sizes[d], axis + d, "params");
}

// What is gathered: a slice of params for each position of the nested dimensions.
struct Slices {
  int rank = 0;
  int64 sizes[3], of_params[3], of_indices[3];  // of_params counts slices
  int64 slice = 1;

  void AddInside(int64 size, int64 params, int64 indices) {
    sizes[rank] = size;
    of_params[rank] = params;
    of_indices[rank++] = indices;
  }
};

// Moves each slice in elements of `bytes` bytes. Requires: the size of a slice is a multiple of `bytes`.
template <typename Index>
Status GatherSlices(OpKernelContext* context, const Slices& slices, IndexedDims dims, int64 bytes, int64 slice,
                    Tensor* output) {
  GpuPlaces<2> places;
  for (int d = 0; d < slices.rank; ++d) {
    const int64 steps[] = {slices.of_params[d] * slice, slices.of_indices[d]};
    places.AddInside(slices.sizes[d], steps);
  }
  const int64 steps[] = {1, 0};
  places.AddInside(slice, steps);
  for (int d = 0; d < dims.depth; ++d) dims.strides[d] *= slice;
  return VisitGpuElement(bytes, [&](auto element) {
    typedef decltype(element) E;
    const int64 n = places.count();
    return GpuLaunchKernel(GatherElements<Index, E>, GpuBlocks(n), kGpuThreads, 0, GetGpuStream(context), n, places,
                           dims, static_cast<const E*>(context->input(0).data()),
                           static_cast<const Index*>(context->input(1).data()), static_cast<E*>(output->data()));
  });
}

// Checks the indices and gathers, in the largest elements that alignment allows.
template <typename Index>
Status CheckAndGather(OpKernelContext* context, const Slices& slices, const IndexedDims& dims, int axis,
                      Tensor* output) {
  TF_RETURN_IF_ERROR(CheckOnGpu<Index>(context, context->input(1), dims, axis));
  if (output->NumElements() == 0) return Status();
  const int64 bytes = slices.slice * DataTypeSize(output->dtype());
  const uintptr_t places =
      reinterpret_cast<uintptr_t>(context->input(0).data()) | reinterpret_cast<uintptr_t>(output->data());
  int64 wide = 16;
  while (bytes % wide != 0 || places % static_cast<uintptr_t>(wide) != 0) wide /= 2;
  return GatherSlices<Index>(context, slices, dims, wide, bytes / wide, output);
}

template <typename Index>
Status Gather(OpKernelContext* context, const GatherLayout& l, Tensor* output) {
  Slices slices;
  slices.AddInside(l.batch, l.before * l.size, l.count);
  slices.AddInside(l.before, l.size, 0);
  slices.AddInside(l.count, 0, 1);
  slices.slice = l.slice;
  const IndexedDims dims = {1, {l.size}, {1}};
  return CheckAndGather<Index>(context, slices, dims, l.axis, output);
}

template <typename Index>
Status GatherNd(OpKernelContext* context, Tensor* output) {
  const TensorShape params = context->input(0).shape(), indices = context->input(1).shape();
  IndexedDims dims;
  Slices slices;
  dims.depth = static_cast<int>(indices.dim_size(indices.dims() - 1));
  for (int d = dims.depth; d < params.dims(); ++d) slices.slice *= params.dim_size(d);
  int64 stride = 1, vectors = 1;
  for (int d = dims.depth; d-- > 0; stride *= params.dim_size(d)) {
    dims.sizes[d] = params.dim_size(d);
    dims.strides[d] = stride;
  }
  for (int d = 0; d < indices.dims() - 1; ++d) vectors *= indices.dim_size(d);
  slices.AddInside(vectors, 0, dims.depth);
  return CheckAndGather<Index>(context, slices, dims, 0, output);
}

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

#define GPU_GATHER(name, Index) \
  Name(name).Device(DEVICE_GPU).TypeConstraint("Tparams", kMovedOnGpu).TypeConstraint<Index>("Tindices").Waits()
#define REGISTER_GATHER(Index)                                                                       \
  REGISTER_KERNEL_BUILDER(GPU_GATHER("Gather", Index), GatherOp<Gather<Index>>)                      \
  REGISTER_KERNEL_BUILDER(GPU_GATHER("GatherV2", Index).HostMemory("axis"), GatherOp<Gather<Index>>) \
  REGISTER_KERNEL_BUILDER(GPU_GATHER("GatherNd", Index), FunctionOp<ComputeGatherNd<GatherNd<Index>>>)
REGISTER_GATHER(int32)
REGISTER_GATHER(int64)

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

}  // namespace

}  // namespace array_ops

#endif  // GOOGLE_CUDA
