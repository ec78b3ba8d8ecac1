// plugins/pad/borders.cu.cc: Pad, PadV2, MirrorPad and MirrorPadGrad on a GPU.
//
// Each thread finds the elements of the input that a pack of the output shows, or a single element of it.
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

// Units of the output that are all in a constant border, or contiguous in the input. source: of the first; -1: border.
struct Run {
  int64 source, length;
};

// The run that begins at unit i of the output, as far as it is known without a look at other rows.
__device__ inline Run FindRun(const PaddedAxes& padded, int64 i) {
  const Axis& row = padded.axes[0];
  Run run = {0, 1};
  for (int k = 0; k < padded.rank; ++k) {
    const Axis& axis = padded.axes[k];
    const int64 rest = padded.units <= INT32_MAX
                           ? static_cast<int64>(padded.divisors[k].Quotient(static_cast<uint32_t>(i)))
                           : i / axis.padded();
    const int64 at = i - rest * axis.padded(), index = SourceOf(axis, padded.border, at);
    if (k == 0 && (padded.border == Border::kConstant || (at >= row.before && at < row.before + row.size))) {
      const int64 end = at < row.before              ? row.before
                        : at < row.before + row.size ? row.before + row.size
                                                     : row.padded();
      run.length = end - at;
    }
    if (index < 0) return {-1, run.length};
    run.source += index * padded.strides[k];
    i = rest;
  }
  return run;
}

// packs: how many packs of 16 bytes are written at once, if they are a run.
template <typename E>
__global__ void __launch_bounds__(kGpuThreads)
    CopyUnits(PaddedAxes padded, int64 packs, E border, const E* in, const E* in_end, E* out) {
  constexpr int kPack = kGpuPackSize<E, E>;
  const auto copy = [&](int64 i) {
    const int64 source = FindRun(padded, i).source;
    out[i] = source < 0 ? border : in[source];
  };
  for (int64 p : GpuGridRangeX(packs)) {
    const Run run = FindRun(padded, p * kPack);
    if (run.length < kPack) {
      for (int64 i = p * kPack; i < (p + 1) * kPack; ++i) copy(i);
      continue;
    }
    GpuPack<E, kPack> pack;
    for (E& element : pack.elements) element = border;
    if (run.source >= 0) pack = GpuReadPack(in + run.source, in, in_end);
    reinterpret_cast<GpuPack<E, kPack>*>(out)[p] = pack;
  }
  for (int64 i : GpuGridRangeX(padded.units - packs * kPack)) copy(packs * kPack + i);
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
    constexpr int kPack = kGpuPackSize<E, E>, kPacksOfRow = 8;  // in shorter rows, few packs are runs
    const PaddedAxes padded = MakePaddedAxes(layout, bytes);
    const E* const in = static_cast<const E*>(input.data());
    E* const out = static_cast<E*>(output->data());
    const bool has_packs = padded.axes[0].padded() >= kPacksOfRow * kPack && IsAlignedFor<E, kPack>(out);
    const int64 packs = has_packs ? padded.units / kPack : 0;
    return GpuLaunchKernel(CopyUnits<E>, GpuBlocks(has_packs ? packs : padded.units), kGpuThreads, 0,
                           GetGpuStream(context), padded, packs, unit, in,
                           in + input.NumElements() * static_cast<int64>(element_bytes) / bytes, out);
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
