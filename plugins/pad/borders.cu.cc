// plugins/pad/borders.cu.cc: Pad, PadV2, MirrorPad and MirrorPadGrad on a GPU.
//
// Each thread finds the element of the input that an element of the output shows, if there is one.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include "mirror_pad_op.h"
#include "opsrun/gpu_elements.h"
#include "opsrun/gpu_kernel_helper.h"
#include "opsrun/gpu_places.h"
#include "opsrun/register_types.h"

namespace pad {
namespace {

using namespace opsrun;

// An axis of the output, and the distance between elements of the input along it.
struct PaddedAxis {
  Axis axis;
  int64 stride = 1;
  GpuDivisor divisor;
};

// Axes of the output, the innermost first, in units: an element, or everything inside of the innermost border.
struct PaddedAxes {
  int rank = 0;
  int64 units = 1;  // of the output
  PaddedAxis axes[kMaxRank];
};

// Joins neighboring axes without borders.
PaddedAxes MakePaddedAxes(const Axis* axes, int rank) {
  PaddedAxes made;
  int64 stride = 1;
  for (int i = rank - 1; i >= 0; stride *= axes[i].size, --i) {
    Axis* const inner = made.rank == 0 ? nullptr : &made.axes[made.rank - 1].axis;
    made.units *= axes[i].padded();
    if (inner != nullptr && !inner->HasBorder() && !axes[i].HasBorder()) {
      inner->size *= axes[i].size;
    } else {
      made.axes[made.rank++] = {axes[i], stride, GpuDivisor()};
    }
  }
  return made;
}

// Combines contiguous bytes to units of up to 16 bytes. Requires: the rank is not 0.
int64 WidenUnits(PaddedAxes* axes, int64 element_bytes, const void* in, const void* out) {
  Axis* const row = &axes->axes[0].axis;
  const uintptr_t places = reinterpret_cast<uintptr_t>(in) | reinterpret_cast<uintptr_t>(out);
  int64 bytes = 16;
  while (bytes > element_bytes &&
         (row->HasBorder() || row->size * element_bytes % bytes != 0 || places % static_cast<uintptr_t>(bytes) != 0)) {
    bytes /= 2;
  }
  const int64 count = bytes / element_bytes;
  row->size /= count;
  axes->units /= count;
  for (int k = 1; k < axes->rank; ++k) axes->axes[k].stride /= count;
  for (int k = 0; k < axes->rank; ++k) {
    const int64 padded = axes->axes[k].axis.padded();
    if (axes->units <= INT32_MAX) axes->axes[k].divisor = GpuDivisor(static_cast<uint32_t>(padded));
  }
  return bytes;
}

// Maps an index of the output, relative to the first element of the input, to an index of the input; -1: outside.
struct NothingOutside {
  __device__ int64 operator()(const Axis& axis, int64 i) const { return i < 0 || i >= axis.size ? -1 : i; }
};
struct MirroredOutside {
  int64 distance;  // from the element at an edge to its mirror image
  __device__ int64 operator()(const Axis& axis, int64 i) const {
    if (i < 0) return distance - 1 - i;
    return i < axis.size ? i : 2 * axis.size - 1 - distance - i;
  }
};

template <typename Outside>
__device__ inline int64 FindSource(const PaddedAxes& axes, const Outside& outside, int64 i) {
  int64 source = 0;
  for (int k = 0; k < axes.rank; ++k) {
    const PaddedAxis& at = axes.axes[k];
    const int64 rest = axes.units <= INT32_MAX ? static_cast<int64>(at.divisor.Quotient(static_cast<uint32_t>(i)))
                                               : i / at.axis.padded();
    const int64 index = outside(at.axis, i - rest * at.axis.padded() - at.axis.before);
    if (index < 0) return -1;
    source += index * at.stride;
    i = rest;
  }
  return source;
}

template <typename E, typename Outside>
__global__ void __launch_bounds__(kGpuThreads)
    WriteUnits(PaddedAxes axes, Outside outside, E border, const E* in, E* out) {
  for (int64 i : GpuGridRangeX(axes.units)) {
    const int64 source = FindSource(axes, outside, i);
    out[i] = source < 0 ? border : in[source];
  }
}

// value: one element, in host memory.
template <typename Outside>
Status WriteOutput(OpKernelContext* context, const Outside& outside, const void* value, const Axis* axes,
                   Tensor* output) {
  const Tensor& input = context->input(kInput);
  const int64 element_bytes = DataTypeSize(input.dtype());
  const Axis one = {1, 0, 0};
  PaddedAxes padded = input.dims() > 0 ? MakePaddedAxes(axes, input.dims()) : MakePaddedAxes(&one, 1);
  const int64 bytes = WidenUnits(&padded, element_bytes, input.data(), output->data());
  return VisitGpuElement(bytes, [&](auto border) {
    for (size_t at = 0; at < sizeof border; at += static_cast<size_t>(element_bytes)) {
      std::memcpy(reinterpret_cast<char*>(&border) + at, value, static_cast<size_t>(element_bytes));
    }
    typedef decltype(border) E;
    return GpuLaunchKernel(WriteUnits<E, Outside>, GpuBlocks(padded.units), kGpuThreads, 0, GetGpuStream(context),
                           padded, outside, border, static_cast<const E*>(input.data()),
                           static_cast<E*>(output->data()));
  });
}

constexpr char kZero[16] = {};

Status WriteConstant(OpKernelContext* context, const ConstantBorder&, const Axis* axes, Tensor* output) {
  const Tensor* const constant = ConstantOf(context);
  return WriteOutput(context, NothingOutside(), constant != nullptr ? constant->data() : kZero, axes, output);
}

Status WriteMirrored(OpKernelContext* context, const MirroredBorder& border, const Axis* axes, Tensor* output) {
  return WriteOutput(context, MirroredOutside{static_cast<int64>(border.edge)}, kZero, axes, output);
}

// Adds in the order of FoldAxis, so that sums are rounded in the same way.
template <typename In, typename Out>
__global__ void __launch_bounds__(kGpuThreads)
    FoldElements(int64 n, Axis axis, int64 distance, int64 inner, const In* in, Out* out) {
  for (int64 i : GpuGridRangeX(n)) {
    const int64 k = i % inner, at = i / inner % axis.size, outer = i / inner / axis.size;
    const In* const from = in + outer * axis.padded() * inner + k;
    const auto at_row = [&](int64 row) { return static_cast<SumOf<In>>(from[row * inner]); };
    const int64 before = axis.before - 1 + distance - at, after = axis.size - 1 - distance - at;
    SumOf<In> sum = at_row(axis.before + at);
    if (before >= 0 && before < axis.before) sum = MirrorSum(sum, at_row(before));
    if (after >= 0 && after < axis.after) sum = MirrorSum(sum, at_row(axis.before + axis.size + after));
    out[i] = static_cast<Out>(sum);
  }
}

struct FoldOnGpu {
  template <typename In, typename Out>
  static Status Run(OpKernelContext* context, const Axis& axis, Edge edge, int64 outer, int64 inner, const In* in,
                    Out* out) {
    const int64 n = outer * axis.size * inner;
    return GpuLaunchKernel(FoldElements<In, Out>, GpuBlocks(n), kGpuThreads, 0, GetGpuStream(context), n, axis,
                           static_cast<int64>(edge), inner, in, out);
  }
};

#define TYPE_OF(T) DataTypeToEnum<T>::value,
constexpr std::initializer_list<DataType> kFixedSize = {TF_CALL_POD_TYPES(TYPE_OF) TF_CALL_QUANTIZED_TYPES(TYPE_OF)};
#define GPU_KERNEL(name) Name(name).Device(DEVICE_GPU).HostMemory("paddings").Capturable()
typedef BorderOp<ConstantBorder, WriteConstant> PadOp;
typedef BorderOp<MirroredBorder, WriteMirrored> MirrorPadOp;
REGISTER_KERNEL_BUILDER(GPU_KERNEL("Pad").TypeConstraint("T", kFixedSize), PadOp)
REGISTER_KERNEL_BUILDER(GPU_KERNEL("PadV2").TypeConstraint("T", kFixedSize).HostMemory("constant_values"), PadOp)
REGISTER_KERNEL_BUILDER(GPU_KERNEL("MirrorPad").TypeConstraint("T", kFixedSize), MirrorPadOp)
#define REGISTER_GRAD(T) \
  REGISTER_KERNEL_BUILDER(GPU_KERNEL("MirrorPadGrad").TypeConstraint<T>("T"), MirrorPadGradOp<T, FoldOnGpu>);
TF_CALL_REAL_NUMBER_TYPES(REGISTER_GRAD)

}  // namespace
}  // namespace pad

#endif  // GOOGLE_CUDA
