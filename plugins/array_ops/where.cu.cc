// plugins/array_ops/where.cu.cc: Where on a GPU: each thread finds the elements that are not zero in a part of the
// input.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include <algorithm>
#include <utility>
#include <vector>

#include "elements.h"
#include "gpu_indices.cu.h"
#include "opsrun/gpu_elements.h"
#include "opsrun/gpu_kernel_helper.h"

namespace array_ops {
namespace {

template <typename E>
struct WhereInput {
  const E* elements;
  int64 n, part;  // a part has so many elements; the last one may have fewer
  NumberBits bits;

  __device__ int64 EndOf(int64 p) const { return (p + 1) * part < n ? (p + 1) * part : n; }
  __device__ bool IsZero(int64 i) const {
    if constexpr (sizeof(E) == 16) {
      return bits.IsZero(elements[i].elements[0]) && bits.IsZero(elements[i].elements[1]);
    } else {
      return bits.IsZero(elements[i]);
    }
  }
};

template <typename E>
__global__ void __launch_bounds__(kGpuThreads) CountNonzero(int64 parts, WhereInput<E> input, int64* counts) {
  for (int64 p : GpuGridRangeX(parts)) {
    const int64 end = input.EndOf(p);
    int64 count = 0;
    for (int64 i = p * input.part; i < end; ++i) count += input.IsZero(i) ? 0 : 1;
    counts[p] = count;
  }
}

// starts: how many rows are before those of a part.
template <typename E>
__global__ void __launch_bounds__(kGpuThreads)
    WriteNonzero(int64 parts, WhereInput<E> input, const int64* starts, IndexedDims dims, int64* out) {
  for (int64 p : GpuGridRangeX(parts)) {
    const int64 end = input.EndOf(p);
    int64* to = out + starts[p] * dims.depth;
    for (int64 i = p * input.part; i < end; ++i) {
      if (input.IsZero(i)) continue;
      for (int d = 0; d < dims.depth; ++d) *to++ = i / dims.strides[d] % dims.sizes[d];
    }
  }
}

// Waits for the GPU: the size of the output is the number of elements found.
template <typename E>
Status FindNonzero(OpKernelContext* context) {
  constexpr int64 kMostParts = 16384, kLeast = 64;
  const Tensor& x = context->input(0);
  const int64 n = x.NumElements();
  const cudaStream_t stream = GetGpuStream(context);
  const int64 part = std::max((n + kMostParts - 1) / kMostParts, kLeast), parts = (n + part - 1) / part;
  const WhereInput<E> input = {static_cast<const E*>(x.data()), n, part, BitsOf(x.dtype())};
  std::vector<int64> starts(static_cast<size_t>(parts));
  const size_t bytes = starts.size() * sizeof(int64);
  int64 found = 0;
  Tensor counts, *output = nullptr;
  TF_RETURN_IF_ERROR(context->allocate_temp(DT_INT64, TensorShape({parts}), &counts));
  int64* const on_gpu = static_cast<int64*>(counts.data());
  if (parts > 0) {
    TF_RETURN_IF_ERROR(
        GpuLaunchKernel(CountNonzero<E>, GpuBlocks(parts), kGpuThreads, 0, stream, parts, input, on_gpu));
    TF_RETURN_IF_ERROR(Await(stream, cudaMemcpyAsync(starts.data(), on_gpu, bytes, cudaMemcpyDeviceToHost, stream)));
    for (int64& start : starts) found += std::exchange(start, found);
  }
  TF_RETURN_IF_ERROR(context->allocate_output(0, TensorShape({found, x.dims()}), &output));
  if (output->NumElements() == 0) return Status();
  TF_RETURN_IF_ERROR(Await(stream, cudaMemcpyAsync(on_gpu, starts.data(), bytes, cudaMemcpyHostToDevice, stream)));
  return GpuLaunchKernel(WriteNonzero<E>, GpuBlocks(parts), kGpuThreads, 0, stream, parts, input,
                         static_cast<const int64*>(on_gpu), IndexedDims(x.shape(), x.dims()),
                         static_cast<int64*>(output->data()));
}

Status Where(OpKernelContext* context) {
  return VisitGpuElement(DataTypeSize(context->input(0).dtype()),
                         [&](auto element) { return FindNonzero<decltype(element)>(context); });
}
REGISTER_KERNEL_BUILDER(Name("Where").Device(DEVICE_GPU).Waits(), FunctionOp<Where>)

}  // namespace
}  // namespace array_ops

#endif  // GOOGLE_CUDA
