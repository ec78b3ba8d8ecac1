// plugins/math_ops/scan.cu.cc: Cumsum, Cumprod and LinearRecurrence on a GPU.
//
// One thread scans a line. If there are few, long lines, and their sums may be reassociated, lines are split into
// parts: the first launch computes the total of each part, the second scans these to get the state before each part,
// and the last one scans all parts in parallel. How lines are split depends on the shape alone, so results are the same
// on every card.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include "scan.h"

#include "gpu_elementwise.cu.h"

namespace math_ops {
namespace {

// Parts of lines: part p of line l begins at element p * part, counted in scan order.
struct ScanParts {
  int64 lines = 0, rows = 0, width = 0, part = 0, parts = 1;
  bool exclusive = false, reverse = false;

  __host__ __device__ int64 count() const { return lines * parts; }
  __device__ int64 PlaceOf(int64 line, int64 row) const {
    return (line / width * rows + (reverse ? rows - 1 - row : row)) * width + line % width;
  }
  __device__ int64 EndOf(int64 part_number) const {
    const int64 end = (part_number + 1) * part;
    return end < rows ? end : rows;
  }
};

template <typename T, int kInputs>
struct Scanned {
  const T* tensors[kInputs];
};

// totals[i] = the state after only part i / lines of line i % lines.
template <typename Step, typename T>
__global__ void __launch_bounds__(kGpuThreads)
    AddParts(ScanParts parts, Scanned<T, Step::kInputs> inputs, Wide<T>* totals) {
  for (int64 i : GpuGridRangeX(parts.count())) {
    const int64 line = i % parts.lines, number = i / parts.lines, end = parts.EndOf(number);
    Wide<T> state = Step::template Start<T>();
    for (int64 row = number * parts.part; row < end; ++row) {
      state = Step::template Next<T>(state, inputs.tensors, parts.PlaceOf(line, row));
    }
    totals[i] = state;
  }
}

// starts: the state before each part; NULL if there is one part. `out` may be an input.
template <typename Step, typename T>
__global__ void __launch_bounds__(kGpuThreads)
    ScanElements(ScanParts parts, Scanned<T, Step::kInputs> inputs, const Wide<T>* starts, T* out) {
  for (int64 i : GpuGridRangeX(parts.count())) {
    const int64 line = i % parts.lines, number = i / parts.lines, end = parts.EndOf(number);
    Wide<T> state = starts == nullptr ? Step::template Start<T>() : starts[i];
    for (int64 row = number * parts.part; row < end; ++row) {
      const int64 at = parts.PlaceOf(line, row);
      const Wide<T> next = Step::template Next<T>(state, inputs.tensors, at);
      out[at] = static_cast<T>(parts.exclusive ? state : next);
      state = next;
    }
  }
}

// As many parts as occupy the card, of at least 256 elements each.
ScanParts CutLines(const ScanShape& shape, ScanAttrs attrs, bool splits) {
  constexpr int64 kThreads = 65536, kLeast = 256;
  ScanParts parts;
  parts.lines = shape.lines();
  parts.rows = parts.part = shape.rows;
  parts.width = shape.width;
  parts.exclusive = attrs.exclusive;
  parts.reverse = attrs.reverse;
  if (!splits || shape.rows <= kLeast) return parts;
  const int64 wanted = std::max<int64>(std::min(kThreads / parts.lines, shape.rows / kLeast), 1);
  parts.part = (shape.rows + wanted - 1) / wanted;
  parts.parts = (shape.rows + parts.part - 1) / parts.part;
  return parts;
}

template <typename Step>
struct GpuScans {
  template <typename T>
  static Status Launch(OpKernelContext* context, const ScanParts& parts, const Scanned<T, Step::kInputs>& inputs,
                       const Wide<T>* starts, T* out) {
    return GpuLaunchKernel(ScanElements<Step, T>, GpuBlocks(parts.count()), kGpuThreads, 0, GetGpuStream(context),
                           parts, inputs, starts, out);
  }

  // Computes the state before each part from the totals: a scan of a matrix with a row for each part.
  template <typename T>
  static Status LaunchStarts(OpKernelContext* context, const ScanParts& parts, const Scanned<T, Step::kInputs>& inputs,
                             Wide<T>* starts) {
    TF_RETURN_IF_ERROR(GpuLaunchKernel(AddParts<Step, T>, GpuBlocks(parts.count()), kGpuThreads, 0,
                                       GetGpuStream(context), parts, inputs, starts));
    ScanParts totals;
    totals.lines = totals.width = parts.lines;
    totals.rows = totals.part = parts.parts;
    totals.exclusive = true;
    return Launch<Wide<T>>(context, totals, {{starts}}, nullptr, starts);
  }

  template <typename OnCpu>
  static Status Run(OpKernelContext* context, const ScanShape& shape, ScanAttrs attrs, const void* const* ins,
                    void* output) {
    typedef GpuType<OnCpu> T;
    Scanned<T, Step::kInputs> inputs;
    for (int i = 0; i < Step::kInputs; ++i) inputs.tensors[i] = static_cast<const T*>(ins[i]);
    const ScanParts parts = CutLines(shape, attrs, Step::template kSplits<T>);
    if constexpr (Step::template kSplits<T>) {
      if (parts.parts > 1) {
        Tensor temporary;
        const int64 bytes = parts.count() * int64{sizeof(Wide<T>)};
        TF_RETURN_IF_ERROR(context->allocate_temp(DT_UINT8, TensorShape({bytes}), &temporary));
        Wide<T>* const starts = static_cast<Wide<T>*>(temporary.data());
        TF_RETURN_IF_ERROR(LaunchStarts<T>(context, parts, inputs, starts));
        return Launch<T>(context, parts, inputs, starts, static_cast<T*>(output));
      }
    }
    return Launch<T>(context, parts, inputs, nullptr, static_cast<T*>(output));
  }
};

#define REGISTER_GPU_SCAN(name, Step, Types) \
  REGISTER_KERNEL_BUILDER(ON_GPU(name, Types).HostMemory("axis").Capturable(), ScanOp<GpuScans<Step>, Types>)
REGISTER_GPU_SCAN("Cumsum", SumStep, Numbers)
REGISTER_GPU_SCAN("Cumprod", ProductStep, Numbers)
REGISTER_GPU_SCAN("LinearRecurrence", RecurrenceStep, FloatsAndComplexes)

}  // namespace
}  // namespace math_ops

#endif  // GOOGLE_CUDA
