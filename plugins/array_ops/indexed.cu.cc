// plugins/array_ops/indexed.cu.cc: ops on a GPU that select elements by indices, or add them up at indices.
//
// Indices are checked as on the CPU, so these ops wait for the GPU. Sums are computed in the order of the
// indices, as on the CPU: slices are first sorted by their place in the output.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include <algorithm>
#include <complex>

#include "gpu_indices.cu.h"
#include "indexed_ops.h"
#include "opsrun/gpu_copy.h"
#include "opsrun/gpu_elements.h"
#include "opsrun/gpu_kernel_helper.h"
#include "opsrun/gpu_sort.h"

namespace array_ops {
namespace {

template <typename Index>
struct IsOutOfRange {
  IndexedDims dims;
  const Index* indices;
  __device__ bool operator()(int64 i) const {
    const int64 size = dims.sizes[dims.depth == 1 ? 0 : i % dims.depth];
    return static_cast<uint64>(int64{indices[i]}) >= static_cast<uint64>(size);
  }
};

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

// places: as above, of slices, which have n elements.
template <typename Index, typename E>
__global__ void __launch_bounds__(kGpuThreads)
    GatherRows(int64 n, GpuPlaces<2> places, IndexedDims dims, const E* params, const Index* indices, E* out) {
  const int64 pieces = GpuPiecesOf<E>(n);
  for (int64 i : GpuGridRangeX(places.count() * pieces)) {
    const int64 row = i / pieces;
    int64 at[2];
    places.Find(row, at);
    for (int d = 0; d < dims.depth; ++d) at[0] += int64{indices[at[1] + d]} * dims.strides[d];
    GpuCopyPiece(n, i - row * pieces, params + at[0], out + row * n);
  }
}

// Waits for the GPU. INVALID_ARGUMENT: an index is out of range. `axis` is the dimension of `what` that the first index
// of a vector selects from.
template <typename Index>
Status CheckOnGpu(OpKernelContext* context, const Tensor& indices, const IndexedDims& dims, int axis, const char* what,
                  const char* name = "indices") {
  const int64 n = indices.NumElements();
  if (n == 0) return Status();
  const Index* const data = static_cast<const Index*>(indices.data());
  int64 at = n;
  TF_RETURN_IF_ERROR(FindFirst(context, n, IsOutOfRange<Index>{dims, data}, &at));
  if (at == n) return Status();
  Index index;
  TF_RETURN_IF_ERROR(ReadOne(GetGpuStream(context), data + at, &index));
  const int64 d = at % dims.depth;
  return IndexOutOfRange(indices.shape(), at, index, name, dims.sizes[d], axis + d, what);
}

// Slices of params, or of a sum: one for each position of the nested dimensions.
struct Slices {
  int rank = 0;
  int64 sizes[3], of_params[3], of_indices[3];  // of_params counts slices
  int64 slice = 1;

  explicit Slices(const GatherLayout& l) : slice(l.slice) {
    AddInside(l.batch, l.before * l.size, l.count);
    AddInside(l.before, l.size, 0);
    AddInside(l.count, 0, 1);
  }
  // The slices of `whole` at vectors of indices, whose ranges it sets *dims to.
  Slices(const TensorShape& whole, const TensorShape& indices, IndexedDims* dims) {
    const int depth = static_cast<int>(indices.dim_size(indices.dims() - 1));
    *dims = IndexedDims(whole, depth);
    for (int d = depth; d < whole.dims(); ++d) slice *= whole.dim_size(d);
    int64 vectors = 1;
    for (int d = 0; d < indices.dims() - 1; ++d) vectors *= indices.dim_size(d);
    AddInside(vectors, 0, depth);
  }

  // The places of slices, or of their elements if `within` says how many there are. Requires: there are slices.
  GpuPlaces<2> Places(int64 within = 1) const {
    GpuPlaces<2> places;
    for (int d = 0; d < rank; ++d) {
      const int64 steps[] = {of_params[d] * within, of_indices[d]};
      places.AddInside(sizes[d], steps);
    }
    return places;
  }

 private:
  void AddInside(int64 size, int64 params, int64 indices) {
    sizes[rank] = size;
    of_params[rank] = params;
    of_indices[rank++] = indices;
  }
};

template <typename Index, typename E>
Status LaunchGather(void (*kernel)(int64, GpuPlaces<2>, IndexedDims, const E*, const Index*, E*), int64 threads,
                    OpKernelContext* context, int64 n, const GpuPlaces<2>& places, const IndexedDims& dims,
                    Tensor* output) {
  return GpuLaunchKernel(kernel, GpuBlocks(threads), kGpuThreads, 0, GetGpuStream(context), n, places, dims,
                         static_cast<const E*>(context->input(0).data()),
                         static_cast<const Index*>(context->input(1).data()), static_cast<E*>(output->data()));
}

// Moves each slice in elements of `bytes` bytes, or in pieces if they are fewer than a pack and the slice is long.
// Requires: the size of a slice is a multiple of `bytes`.
template <typename Index>
Status GatherSlices(OpKernelContext* context, const Slices& slices, IndexedDims dims, int64 bytes, int64 slice,
                    Tensor* output) {
  GpuPlaces<2> places = slices.Places(slice);
  for (int d = 0; d < dims.depth; ++d) dims.strides[d] *= slice;
  const auto launch_rows = [&](auto element) {
    typedef decltype(element) E;
    const int64 threads = places.count() * GpuPiecesOf<E>(slice);
    return LaunchGather<Index, E>(GatherRows<Index, E>, threads, context, slice, places, dims, output);
  };
  if (bytes < 16 && slice * bytes >= kGpuLeastRow) return bytes == 4 ? launch_rows(uint32_t()) : launch_rows(uint8_t());
  const int64 steps[] = {1, 0};
  places.AddInside(slice, steps);
  return VisitGpuElement(bytes, [&](auto element) {
    typedef decltype(element) E;
    const int64 n = places.count();
    return LaunchGather<Index, E>(GatherElements<Index, E>, n, context, n, places, dims, output);
  });
}

// Checks the indices and gathers, in the largest elements that alignment allows.
template <typename Index>
Status CheckAndGather(OpKernelContext* context, const Slices& slices, const IndexedDims& dims, int axis,
                      Tensor* output) {
  TF_RETURN_IF_ERROR(CheckOnGpu<Index>(context, context->input(1), dims, axis, "params"));
  if (output->NumElements() == 0) return Status();
  const int64 bytes = slices.slice * DataTypeSize(output->dtype());
  const uintptr_t places =
      reinterpret_cast<uintptr_t>(context->input(0).data()) | reinterpret_cast<uintptr_t>(output->data());
  int64 wide = 16;
  while (bytes % wide != 0 || places % static_cast<uintptr_t>(wide) != 0) wide /= 2;
  if (wide < 16 && bytes >= kGpuLeastRow) wide = wide < 4 ? 1 : 4;
  return GatherSlices<Index>(context, slices, dims, wide, bytes / wide, output);
}

template <typename Index>
Status Gather(OpKernelContext* context, const GatherLayout& l, Tensor* output) {
  return CheckAndGather<Index>(context, Slices(l), IndexedDims(l.size), l.axis, output);
}

template <typename Index>
Status GatherNd(OpKernelContext* context, Tensor* output) {
  IndexedDims dims;
  const Slices slices(context->input(0).shape(), context->input(1).shape(), &dims);
  return CheckAndGather<Index>(context, slices, dims, 0, output);
}

// The key of a row of updates is the place of its slice in the output.
template <typename Index>
__global__ void __launch_bounds__(kGpuThreads)
    FindKeys(int64 n, GpuPlaces<2> places, IndexedDims dims, const Index* indices, GpuKeyedRow* rows) {
  for (int64 i : GpuGridRangeX(n)) {
    int64 at[2];
    places.Find(i, at);
    for (int d = 0; d < dims.depth; ++d) at[0] += int64{indices[at[1] + d]} * dims.strides[d];
    rows[i] = {at[0], i};
  }
}

// The type of the parts of complex numbers, which are added on their own, or T.
template <typename T>
struct PartsOf {
  typedef T type;
};
template <typename T>
struct PartsOf<std::complex<T>> {
  typedef T type;
};

// Sets the output to zeros and the sums of the slices at the same place. Waits for the GPU. INVALID_ARGUMENT: an index
// is out of range.
template <typename Index>
Status AddAt(OpKernelContext* context, const Tensor& indices, const Slices& slices, const IndexedDims& dims, int axis,
             const char* what, const Tensor& updates, Tensor* output) {
  TF_RETURN_IF_ERROR(CheckOnGpu<Index>(context, indices, dims, axis, what));
  const cudaStream_t stream = GetGpuStream(context);
  const Bytes16 zero = {};
  TF_RETURN_IF_ERROR(GpuFill(stream, output->NumElements(), DataTypeSize(output->dtype()), &zero, output->data()));
  if (updates.NumElements() == 0) return Status();
  const GpuPlaces<2> places = slices.Places();
  const int64 n = places.count();
  Tensor memory;
  TF_RETURN_IF_ERROR(context->allocate_temp(DT_UINT8, TensorShape({2 * n * int64{sizeof(GpuKeyedRow)}}), &memory));
  GpuKeyedRow* const rows = static_cast<GpuKeyedRow*>(memory.data());
  const GpuKeyedRow* sorted = nullptr;
  TF_RETURN_IF_ERROR(GpuLaunchKernel(FindKeys<Index>, GpuBlocks(n), kGpuThreads, 0, stream, n, places, dims,
                                     static_cast<const Index*>(indices.data()), rows));
  TF_RETURN_IF_ERROR(GpuSortByKey(stream, n, rows, rows + n, &sorted));
  return VisitNumber(updates.dtype(), [&](auto element) {
    typedef typename decltype(element)::type E;
    typedef typename PartsOf<E>::type T;
    const int64 width = slices.slice * static_cast<int64>(sizeof(E) / sizeof(T));
    return GpuLaunchKernel(GpuAddSortedRows<SumOf<T>, T>, GpuBlocks(n * width), kGpuThreads, 0, stream, n, width,
                           sorted, static_cast<const T*>(updates.data()), static_cast<T*>(output->data()));
  });
}

template <typename Index>
Status AddGathered(OpKernelContext* context, const GatherLayout& l, Tensor* output) {
  return AddAt<Index>(context, context->input(1), Slices(l), IndexedDims(l.size), l.axis, "params", context->input(2),
                      output);
}

template <typename Index>
Status ScatterNd(OpKernelContext* context, Tensor* output) {
  IndexedDims dims;
  const Slices slices(output->shape(), context->input(0).shape(), &dims);
  return AddAt<Index>(context, context->input(0), slices, dims, 0, "the output", context->input(1), output);
}

// Whether the key of a row is not above that of the row before.
struct IsDisordered {
  const GpuKeyedRow* rows;
  __device__ bool operator()(int64 i) const { return i > 0 && rows[i].key <= rows[i - 1].key; }
};

// Waits for the GPU. INVALID_ARGUMENT: the keys are not ascending.
Status CheckAscending(OpKernelContext* context, int64 n, const GpuKeyedRow* rows) {
  int64 at = n;
  TF_RETURN_IF_ERROR(FindFirst(context, n, IsDisordered{rows}, &at));
  if (at == n) return Status();
  GpuKeyedRow before, row;
  TF_RETURN_IF_ERROR(ReadOne(GetGpuStream(context), rows + at - 1, &before));
  TF_RETURN_IF_ERROR(ReadOne(GetGpuStream(context), rows + at, &row));
  return DisorderedIndex(at, row.key == before.key);
}

// The last row of each key sets the element there. step: 0 if all have the same value, else 1.
template <typename E>
__global__ void __launch_bounds__(kGpuThreads)
    SetAtKeys(int64 n, const GpuKeyedRow* sorted, int64 step, const E* values, E* out) {
  for (int64 i : GpuGridRangeX(n)) {
    if (i == n - 1 || sorted[i + 1].key != sorted[i].key) out[sorted[i].key] = values[sorted[i].row * step];
  }
}

// See SparseToDenseOp. Indices in ascending order need no sort.
template <typename Index>
Status WriteDense(OpKernelContext* context, const TensorShape& shape, bool validate) {
  const Tensor &indices = context->input(0), &values = context->input(2);
  const IndexedDims dims(shape, shape.dims());
  const int64 n = indices.dims() == 0 ? 1 : indices.dim_size(0), bytes = DataTypeSize(values.dtype());
  const cudaStream_t stream = GetGpuStream(context);
  TF_RETURN_IF_ERROR(CheckOnGpu<Index>(context, indices, dims, 0, "the output", kSparseIndices));
  Tensor memory, *output = nullptr;
  TF_RETURN_IF_ERROR(context->allocate_temp(DT_UINT8, TensorShape({2 * n * int64{sizeof(GpuKeyedRow)}}), &memory));
  GpuKeyedRow* const rows = static_cast<GpuKeyedRow*>(memory.data());
  const GpuKeyedRow* sorted = rows;
  if (n > 0) {
    GpuPlaces<2> places;
    const int64 steps[] = {0, dims.depth};
    places.AddInside(n, steps);
    TF_RETURN_IF_ERROR(GpuLaunchKernel(FindKeys<Index>, GpuBlocks(n), kGpuThreads, 0, stream, n, places, dims,
                                       static_cast<const Index*>(indices.data()), rows));
    TF_RETURN_IF_ERROR(validate ? CheckAscending(context, n, rows) : GpuSortByKey(stream, n, rows, rows + n, &sorted));
  }
  TF_RETURN_IF_ERROR(context->allocate_output(0, shape, &output));
  GpuCopyLoops fill;
  fill.AddInside({output->NumElements(), 0, 1});
  TF_RETURN_IF_ERROR(fill.Enqueue(stream, bytes, context->input(3).data(), output->data()));
  if (n == 0) return Status();
  return VisitGpuElement(bytes, [&](auto element) {
    typedef decltype(element) E;
    return GpuLaunchKernel(SetAtKeys<E>, GpuBlocks(n), kGpuThreads, 0, stream, n, sorted,
                           int64{values.dims() == 0 ? 0 : 1}, static_cast<const E*>(values.data()),
                           static_cast<E*>(output->data()));
  });
}

#define GPU_GATHER(name, Index) \
  Name(name).Device(DEVICE_GPU).TypeConstraint("Tparams", kMovedOnGpu).TypeConstraint<Index>("Tindices").Waits()
#define GPU_SUMS(name, Index) \
  Name(name).Device(DEVICE_GPU).TypeConstraint("T", kNumbers).TypeConstraint<Index>("Tindices").Waits()
#define REGISTER_GATHER(Index)                                                                           \
  REGISTER_KERNEL_BUILDER(GPU_GATHER("Gather", Index), GatherOp<Gather<Index>>)                          \
  REGISTER_KERNEL_BUILDER(GPU_GATHER("GatherV2", Index).HostMemory("axis"), GatherOp<Gather<Index>>)     \
  REGISTER_KERNEL_BUILDER(GPU_GATHER("GatherNd", Index), FunctionOp<ComputeGatherNd<GatherNd<Index>>>)   \
  REGISTER_KERNEL_BUILDER(GPU_SUMS("GatherV2Grad", Index).HostMemory("params_shape").HostMemory("axis"), \
                          GatherV2GradOp<AddGathered<Index>>)                                            \
  REGISTER_KERNEL_BUILDER(GPU_SUMS("ScatterNd", Index).HostMemory("shape"),                              \
                          FunctionOp<ComputeScatterNd<ScatterNd<Index>>>)
REGISTER_GATHER(int32)
REGISTER_GATHER(int64)

#define REGISTER_SPARSE_TO_DENSE(Index)                          \
  REGISTER_KERNEL_BUILDER(Name("SparseToDense")                  \
                              .Device(DEVICE_GPU)                \
                              .TypeConstraint("T", kMovedOnGpu)  \
                              .TypeConstraint<Index>("Tindices") \
                              .HostMemory("output_shape")        \
                              .Waits(),                          \
                          SparseToDenseOp<WriteDense<Index>>)
REGISTER_SPARSE_TO_DENSE(int32)
REGISTER_SPARSE_TO_DENSE(int64)

}  // namespace
}  // namespace array_ops

#endif  // GOOGLE_CUDA
