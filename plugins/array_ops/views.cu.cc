// plugins/array_ops/views.cu.cc: ops on a GPU that reorder, repeat or reshape the elements of their input.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include "moving_ops.h"
#include "opsrun/gpu_copy.h"
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

#define GPU_KERNEL(name, types) Name(name).Device(DEVICE_GPU).TypeConstraint("T", types).Capturable()

REGISTER_KERNEL_BUILDER(GPU_KERNEL("ExpandDims", kMovedOnGpu).HostMemory("dim"),
                        ViewOp<PlainView<FindExpandDims>, GpuMoves>)
REGISTER_KERNEL_BUILDER(GPU_KERNEL("Squeeze", kMovedOnGpu), ViewOp<SqueezeView, GpuMoves>)
REGISTER_KERNEL_BUILDER(GPU_KERNEL("Transpose", kMovedOnGpu).HostMemory("perm"),
                        ViewOp<PlainView<FindTranspose>, GpuMoves>)
REGISTER_KERNEL_BUILDER(GPU_KERNEL("Slice", kMovedOnGpu).HostMemory("begin").HostMemory("size"),
                        ViewOp<PlainView<FindSlice>, GpuMoves>)
REGISTER_KERNEL_BUILDER(
    GPU_KERNEL("StridedSlice", kMovedOnGpu).HostMemory("begin").HostMemory("end").HostMemory("strides"),
    ViewOp<StridedSliceView, GpuMoves>)
REGISTER_KERNEL_BUILDER(GPU_KERNEL("StridedSliceGrad", kMovedOnGpu)
                            .HostMemory("shape")
                            .HostMemory("begin")
                            .HostMemory("end")
                            .HostMemory("strides"),
                        StridedSliceGradOp<GpuMoves>)
REGISTER_KERNEL_BUILDER(GPU_KERNEL("Reverse", kMovedOnGpu).HostMemory("dims"), ViewOp<PlainView<FindReverse>, GpuMoves>)
REGISTER_KERNEL_BUILDER(GPU_KERNEL("ReverseV2", kMovedOnGpu).HostMemory("axis"),
                        ViewOp<PlainView<FindReverseV2>, GpuMoves>)
REGISTER_KERNEL_BUILDER(GPU_KERNEL("Tile", kMovedOnGpu).HostMemory("multiples"), ViewOp<PlainView<FindTile>, GpuMoves>)
REGISTER_KERNEL_BUILDER(GPU_KERNEL("BroadcastTo", kMovedOnGpu).HostMemory("shape"),
                        ViewOp<PlainView<FindBroadcastTo>, GpuMoves>)
REGISTER_KERNEL_BUILDER(GPU_KERNEL("Concat", kMovedOnGpu).HostMemory("concat_dim"), ConcatOp<GpuMoves>)
REGISTER_KERNEL_BUILDER(GPU_KERNEL("ConcatV2", kMovedOnGpu).HostMemory("axis"), ConcatOp<GpuMoves>)

REGISTER_KERNEL_BUILDER(GPU_KERNEL("SpaceToBatchND", kMovedOnGpu).HostMemory("block_shape").HostMemory("paddings"),
                        SpaceAndBatchOp<GpuMoves, true>)
REGISTER_KERNEL_BUILDER(GPU_KERNEL("BatchToSpaceND", kMovedOnGpu).HostMemory("block_shape").HostMemory("crops"),
                        SpaceAndBatchOp<GpuMoves, false>)

REGISTER_KERNEL_BUILDER(GPU_KERNEL("Identity", kMovedOnGpu), IdentityOp)
REGISTER_KERNEL_BUILDER(GPU_KERNEL("StopGradient", kMovedOnGpu), IdentityOp)
REGISTER_KERNEL_BUILDER(GPU_KERNEL("ZerosLike", kMovedOnGpu), LikeOp<GpuMoves, false>)
REGISTER_KERNEL_BUILDER(GPU_KERNEL("OnesLike", kOnesOnGpu), LikeOp<GpuMoves, true>)

// These ops read no elements, so the input stays on the GPU; their result is in host memory, where it is needed.
REGISTER_KERNEL_BUILDER(GPU_KERNEL("Size", kMovedOnGpu).TypeConstraint<int32>("out_type").HostMemory("output"),
                        SizeOp<int32>)
REGISTER_KERNEL_BUILDER(GPU_KERNEL("Size", kMovedOnGpu).TypeConstraint<int64>("out_type").HostMemory("output"),
                        SizeOp<int64>)
REGISTER_KERNEL_BUILDER(GPU_KERNEL("Rank", kMovedOnGpu).HostMemory("output"), RankOp)

}  // namespace
}  // namespace array_ops

#endif  // GOOGLE_CUDA
