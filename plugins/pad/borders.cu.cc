// plugins/pad/borders.cu.cc: Pad, PadV2, MirrorPad and MirrorPadGrad on a GPU.
//
// Each thread finds the element of the input that an element of the output shows, if there is one.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include <utility>

#include "border_op.h"
#include "opsrun/gpu_elements.h"
#include "opsrun/gpu_kernel_helper.h"
#include "opsrun/register_types.h"

namespace pad {
namespace {

// Axes of the output, the innermost first, in units that contiguous bytes fill. Strides are in units of the input.
struct PaddedAxes {
  int rank = 0;
  Border border = Border::kConstant;
  int64 units = 1;  // of the output
  Axis axes[kMaxRank + 1];
  int64 strides[kMaxRank + 1];
  GpuDivisor divisors[kMaxRank + 1];

  void Add(const Axis& axis, int64 stride) {
    axes[rank] = axis;
    strides[rank++] = stride;
    units *= axis.padded();
  }
};

// Units have `bytes` bytes, which divide those of the layout.
PaddedAxes MakePaddedAxes(const BorderLayout& layout, int64 bytes) {
  PaddedAxes padded;
  padded.border = layout.border;
  if (layout.unit_bytes > bytes) padded.Add({layout.unit_bytes / bytes, 0, 0}, 1);
  for (int k = 0; k < layout.rank; ++k) padded.Add(layout.axes[k], layout.strides[k] / bytes);
  for (int k = 0; k < padded.rank && padded.units <= INT32_MAX; ++k) {
    padded.divisors[k] = GpuDivisor(static_cast<uint32_t>(padded.axes[k].padded()));
  }
  return padded;
}

// The index in the input of unit i of the output; -1: in a constant border.
__device__ inline int64 FindSource(const PaddedAxes& padded, int64 i) {
  int64 source = 0;
  for (int k = 0; k < padded.rank; ++k) {
    const Axis& axis = padded.axes[k];
    const int64 rest = padded.units <= INT32_MAX
                           ? static_cast<int64>(padded.divisors[k].Quotient(static_cast<uint32_t>(i)))
                           : i / axis.padded();
    const int64 index = SourceOf(axis, padded.border, i - rest * axis.padded());
    if (index < 0) return -1;
    source += index * padded.strides[k];
    i = rest;
  }
  return source;
}

template <typename E>
__global__ void __launch_bounds__(kGpuThreads) CopyUnits(PaddedAxes padded, E border, const E* in, E* out) {
  for (int64 i : GpuGridRangeX(padded.units)) {
    const int64 source = FindSource(padded, i);
    out[i] = source < 0 ? border : in[source];
  }
}

Status Write(OpKernelContext* context, Border border, const Axis* axes, Tensor* output) {
  static constexpr char kZero[16] = {};
  const Tensor &input = context->input(kInput), *constant = ConstantOf(context);
  const size_t element_bytes = static_cast<size_t>(DataTypeSize(input.dtype()));
  const void* const value = constant != nullptr ? constant->data() : kZero;  // in host memory
  BorderLayout layout = MakeLayout(axes, input.dims(), static_cast<int64>(element_bytes), border);
  if (!layout.axes[0].HasBorder()) layout.unit_bytes *= std::exchange(layout.axes[0].size, 1);
  const uintptr_t places = reinterpret_cast<uintptr_t>(input.data()) | reinterpret_cast<uintptr_t>(output->data()) |
                           static_cast<uintptr_t>(layout.unit_bytes);
  int64 bytes = 16;
  while (places % static_cast<uintptr_t>(bytes) != 0) bytes /= 2;
  if (bytes < static_cast<int64>(element_bytes)) return errors::Internal("a tensor is not aligned for its elements");
  return VisitGpuElement(bytes, [&](auto unit) {
    for (size_t at = 0; at < sizeof unit; at += element_bytes) {
      std::memcpy(reinterpret_cast<char*>(&unit) + at, value, element_bytes);
    }
    typedef decltype(unit) E;
    const PaddedAxes padded = MakePaddedAxes(layout, bytes);
    return GpuLaunchKernel(CopyUnits<E>, GpuBlocks(padded.units), kGpuThreads, 0, GetGpuStream(context), padded, unit,
                           static_cast<const E*>(input.data()), static_cast<E*>(output->data()));
  });
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
  static Status Run(OpKernelContext* context, const Axis& axis, Border border, int64 outer, int64 inner, const In* in,
                    Out* out) {
    const int64 n = outer * axis.size * inner;
    return GpuLaunchKernel(FoldElements<In, Out>, GpuBlocks(n), kGpuThreads, 0, GetGpuStream(context), n, axis,
                           static_cast<int64>(border), inner, in, out);
  }
};

#define TYPE_OF(T) DataTypeToEnum<T>::value,
constexpr std::initializer_list<DataType> kFixedSize = {TF_CALL_POD_TYPES(TYPE_OF) TF_CALL_QUANTIZED_TYPES(TYPE_OF)};
#define GPU_KERNEL(name) Name(name).Device(DEVICE_GPU).HostMemory("paddings").Capturable()
REGISTER_KERNEL_BUILDER(GPU_KERNEL("Pad").TypeConstraint("T", kFixedSize), BorderOp<Write>)
REGISTER_KERNEL_BUILDER(GPU_KERNEL("PadV2").TypeConstraint("T", kFixedSize).HostMemory("constant_values"),
                        BorderOp<Write>)
REGISTER_KERNEL_BUILDER(GPU_KERNEL("MirrorPad").TypeConstraint("T", kFixedSize), BorderOp<Write>)
#define REGISTER_GRAD(T) \
  REGISTER_KERNEL_BUILDER(GPU_KERNEL("MirrorPadGrad").TypeConstraint<T>("T"), MirrorPadGradOp<T, FoldOnGpu>);
TF_CALL_REAL_NUMBER_TYPES(REGISTER_GRAD)

}  // namespace
}  // namespace pad

#endif  // GOOGLE_CUDA
