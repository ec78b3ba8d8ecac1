// plugins/array_ops/search.cu.cc: Where, Unique and InvertPermutation on a GPU.
//
// All wait for the GPU: the first two for the size of their output, the last one because its input is checked.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include <algorithm>
#include <utility>
#include <vector>

#include "elements.h"
#include "gpu_indices.cu.h"
#include "opsrun/gpu_copy.h"
#include "opsrun/gpu_elements.h"
#include "opsrun/gpu_kernel_helper.h"
#include "opsrun/gpu_sort.h"
#include "opsrun/register_types.h"
#include "search_ops.h"

namespace array_ops {
namespace {

// Each thread finds the elements that are not zero in a part of the input.
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

// The elements of a tensor that are not zero.
template <typename E>
class Nonzero {
 public:
  Nonzero(const E* elements, int64 n, const NumberBits& bits)
      : input_{elements, n, std::max((n + kMostParts - 1) / kMostParts, kLeast), bits},
        parts_((n + input_.part - 1) / input_.part) {}

  // Sets *found to their number. Waits for the GPU.
  Status Count(OpKernelContext* context, int64* found) {
    const cudaStream_t stream = GetGpuStream(context);
    std::vector<int64> starts(static_cast<size_t>(parts_));
    const size_t bytes = starts.size() * sizeof(int64);
    *found = 0;
    if (parts_ == 0) return Status();
    TF_RETURN_IF_ERROR(context->allocate_temp(DT_INT64, TensorShape({parts_}), &starts_));
    int64* const on_gpu = static_cast<int64*>(starts_.data());
    TF_RETURN_IF_ERROR(
        GpuLaunchKernel(CountNonzero<E>, GpuBlocks(parts_), kGpuThreads, 0, stream, parts_, input_, on_gpu));
    TF_RETURN_IF_ERROR(Await(stream, cudaMemcpyAsync(starts.data(), on_gpu, bytes, cudaMemcpyDeviceToHost, stream)));
    for (int64& start : starts) *found += std::exchange(start, *found);
    return Await(stream, cudaMemcpyAsync(on_gpu, starts.data(), bytes, cudaMemcpyHostToDevice, stream));
  }

  // Writes the index of each one. Requires: Count has found some.
  Status Write(OpKernelContext* context, const IndexedDims& dims, int64* out) const {
    return GpuLaunchKernel(WriteNonzero<E>, GpuBlocks(parts_), kGpuThreads, 0, GetGpuStream(context), parts_, input_,
                           static_cast<const int64*>(starts_.data()), dims, out);
  }

 private:
  static constexpr int64 kMostParts = 16384, kLeast = 64;

  const WhereInput<E> input_;
  const int64 parts_;
  Tensor starts_;  // how many are before each part
};

template <typename E>
Status FindNonzero(OpKernelContext* context) {
  const Tensor& x = context->input(0);
  Nonzero<E> nonzero(static_cast<const E*>(x.data()), x.NumElements(), BitsOf(x.dtype()));
  int64 found = 0;
  Tensor* output = nullptr;
  TF_RETURN_IF_ERROR(nonzero.Count(context, &found));
  TF_RETURN_IF_ERROR(context->allocate_output(0, TensorShape({found, x.dims()}), &output));
  if (output->NumElements() == 0) return Status();
  return nonzero.Write(context, IndexedDims(x.shape(), x.dims()), static_cast<int64*>(output->data()));
}

Status Where(OpKernelContext* context) {
  return VisitGpuElement(DataTypeSize(context->input(0).dtype()),
                         [&](auto element) { return FindNonzero<decltype(element)>(context); });
}
REGISTER_KERNEL_BUILDER(Name("Where").Device(DEVICE_GPU).Waits(), FunctionOp<Where>)

// Unique: equal elements are neighbors once all are sorted. The sort is stable, so the first of them occurs first.

template <typename E>
__global__ void __launch_bounds__(kGpuThreads) NumberKeys(int64 n, NumberBits bits, const E* x, GpuKeyedRow* rows) {
  for (int64 i : GpuGridRangeX(n)) rows[i] = {static_cast<int64>(bits.Key(x[i])), i};
}

// Whether sorted row i is the first of its key. No NaN is equal to another.
__device__ inline bool IsFirst(const NumberBits& bits, const GpuKeyedRow* sorted, int64 i) {
  return i == 0 || sorted[i].key != sorted[i - 1].key || bits.IsNan(static_cast<uint64>(sorted[i].key));
}

__global__ void __launch_bounds__(kGpuThreads)
    MarkFirsts(int64 n, NumberBits bits, const GpuKeyedRow* sorted, uint8_t* is_first) {
  for (int64 i : GpuGridRangeX(n)) is_first[sorted[i].row] = IsFirst(bits, sorted, i) ? 1 : 0;
}

// Numbers the elements that are the first of their value.
template <typename Index, typename E>
__global__ void __launch_bounds__(kGpuThreads)
    TakeFirsts(int64 count, const int64* firsts, const E* x, E* y, Index* idx) {
  for (int64 i : GpuGridRangeX(count)) {
    y[i] = x[firsts[i]];
    idx[firsts[i]] = static_cast<Index>(i);
  }
}

template <typename Index>
__global__ void __launch_bounds__(kGpuThreads)
    NumberOthers(int64 n, NumberBits bits, const GpuKeyedRow* sorted, Index* idx) {
  for (int64 i : GpuGridRangeX(n)) {
    if (!IsFirst(bits, sorted, i)) idx[sorted[i].row] = idx[sorted[GpuFirstNotBelow(sorted, 0, i, sorted[i].key)].row];
  }
}

template <typename Index, typename E>
Status FindNumbers(OpKernelContext* context, Tensor* idx) {
  const Tensor& x = context->input(0);
  const int64 n = x.NumElements();
  const NumberBits bits = BitsOf(x.dtype());
  const E* const elements = static_cast<const E*>(x.data());
  const cudaStream_t stream = GetGpuStream(context);
  Tensor memory, marks, places, *y = nullptr;
  if (n == 0) return context->allocate_output(0, x.shape(), &y);
  TF_RETURN_IF_ERROR(context->allocate_temp(DT_UINT8, TensorShape({2 * n * int64{sizeof(GpuKeyedRow)}}), &memory));
  TF_RETURN_IF_ERROR(context->allocate_temp(DT_UINT8, x.shape(), &marks));
  GpuKeyedRow* const rows = static_cast<GpuKeyedRow*>(memory.data());
  const GpuKeyedRow* sorted = nullptr;
  uint8_t* const is_first = static_cast<uint8_t*>(marks.data());
  TF_RETURN_IF_ERROR(GpuLaunchKernel(NumberKeys<E>, GpuBlocks(n), kGpuThreads, 0, stream, n, bits, elements, rows));
  TF_RETURN_IF_ERROR(GpuSortByKey(stream, n, rows, rows + n, &sorted));
  TF_RETURN_IF_ERROR(GpuLaunchKernel(MarkFirsts, GpuBlocks(n), kGpuThreads, 0, stream, n, bits, sorted, is_first));
  Nonzero<uint8_t> found(is_first, n, NumberBits());
  int64 count = 0;
  TF_RETURN_IF_ERROR(found.Count(context, &count));
  TF_RETURN_IF_ERROR(context->allocate_output(0, TensorShape({count}), &y));
  TF_RETURN_IF_ERROR(context->allocate_temp(DT_INT64, y->shape(), &places));
  int64* const firsts = static_cast<int64*>(places.data());
  Index* const numbers = static_cast<Index*>(idx->data());
  TF_RETURN_IF_ERROR(found.Write(context, IndexedDims(n), firsts));
  TF_RETURN_IF_ERROR(GpuLaunchKernel(TakeFirsts<Index, E>, GpuBlocks(count), kGpuThreads, 0, stream, count,
                                     static_cast<const int64*>(firsts), elements, static_cast<E*>(y->data()), numbers));
  return GpuLaunchKernel(NumberOthers<Index>, GpuBlocks(n), kGpuThreads, 0, stream, n, bits, sorted, numbers);
}

template <typename Index>
Status FindUnique(OpKernelContext* context, Tensor* idx) {
  return VisitGpuElement(DataTypeSize(context->input(0).dtype()), [&](auto element) -> Status {
    typedef decltype(element) E;
    if constexpr (sizeof(E) <= sizeof(uint64)) return FindNumbers<Index, E>(context, idx);
    return Status();  // no real number is larger
  });
}

#define TYPE_OF(T) DataTypeToEnum<T>::value,
#define REGISTER_UNIQUE(Index)                                                                   \
  REGISTER_KERNEL_BUILDER(Name("Unique")                                                         \
                              .Device(DEVICE_GPU)                                                \
                              .TypeConstraint("T", {TF_CALL_REAL_NUMBER_TYPES(TYPE_OF) DT_BOOL}) \
                              .TypeConstraint<Index>("out_idx")                                  \
                              .Waits(),                                                          \
                          FunctionOp<ComputeUnique<Index, FindUnique<Index>>>)
REGISTER_UNIQUE(int32)
REGISTER_UNIQUE(int64)
#undef TYPE_OF

// Sets y[v] to the least i where x[i] is v.
template <typename T>
__global__ void __launch_bounds__(kGpuThreads) FindPlaces(int64 n, const T* x, T* y) {
  for (int64 i : GpuGridRangeX(n)) {
    if (x[i] >= 0 && x[i] < n) GpuAtomicMin(y + x[i], static_cast<T>(i));
  }
}

// Whether an element of x is out of range, or not the first of its value.
template <typename T>
struct IsRepeated {
  int64 n;
  const T *x, *y;
  __device__ bool operator()(int64 i) const { return x[i] < 0 || x[i] >= n || y[x[i]] != static_cast<T>(i); }
};

template <typename T>
Status InvertPermutation(OpKernelContext* context) {
  const Tensor& input = context->input(0);
  const int64 n = input.NumElements();
  const cudaStream_t stream = GetGpuStream(context);
  Tensor* output = nullptr;
  TF_RETURN_IF_ERROR(CheckVector(input.shape(), "x"));
  TF_RETURN_IF_ERROR(context->allocate_output(0, input.shape(), &output));
  if (n == 0) return Status();
  const T* const x = static_cast<const T*>(input.data());
  T *const y = static_cast<T*>(output->data()), none = std::numeric_limits<T>::max();
  TF_RETURN_IF_ERROR(GpuFill(stream, n, sizeof none, &none, y));
  TF_RETURN_IF_ERROR(GpuLaunchKernel(FindPlaces<T>, GpuBlocks(n), kGpuThreads, 0, stream, n, x, y));
  int64 at = n;
  TF_RETURN_IF_ERROR(FindFirst(context, n, IsRepeated<T>{n, x, y}, &at));
  if (at == n) return Status();
  T value, first;
  TF_RETURN_IF_ERROR(ReadOne(stream, x + at, &value));
  if (value < 0 || value >= n) return OutsidePermutation("x", at, value, n);
  TF_RETURN_IF_ERROR(ReadOne(stream, static_cast<const T*>(y) + value, &first));
  return TwiceInPermutation("x", value, first, at);
}

#define REGISTER_INVERT(T)                                                                             \
  REGISTER_KERNEL_BUILDER(Name("InvertPermutation").Device(DEVICE_GPU).TypeConstraint<T>("T").Waits(), \
                          FunctionOp<InvertPermutation<T>>)
REGISTER_INVERT(int32)
REGISTER_INVERT(int64)

}  // namespace
}  // namespace array_ops

#endif  // GOOGLE_CUDA
