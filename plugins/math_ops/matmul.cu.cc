// plugins/math_ops/matmul.cu.cc: matrix products on a GPU: of integers and complex numbers, and of floats where cuBLAS
// is not available (GpuMultiplier).
//
// A block of threads computes one tile of the product, from tiles of both factors in shared memory; each thread
// computes 16 elements. float16 and bfloat16 are multiplied and added as float.
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include "matmul.h"

#include "gpu_tiles.cu.h"

namespace math_ops {
namespace {

struct Products {
  Matrices a, b;
  GpuPlaces<2> batch;
  int64 down = 0, across = 0;  // tiles of a product

  int64 tiles() const { return batch.count() * down * across; }
};

// Loads a tile of a factor, [depth, kTile], zero outside of the matrix. (i, d) is its first element, with `i` along the
// side that it shares with the product. Neighboring threads read contiguous elements.
template <typename T, typename W>
__device__ inline void LoadTile(const T* matrix, bool side_is_inner, bool conjugated, int64 side, int64 depth, int64 i,
                                int64 d, typename ProductTile<W>::Factor& tile) {
  for (int e = static_cast<int>(threadIdx.x); e < kTile * kDepth; e += kGpuThreads) {
    const int of_side = side_is_inner ? e % kTile : e / kDepth, of_depth = side_is_inner ? e / kTile : e % kDepth;
    const int64 at_side = i + of_side, at_depth = d + of_depth;
    const int64 at = side_is_inner ? at_depth * side + at_side : at_side * depth + at_depth;
    W element = at_side < side && at_depth < depth ? static_cast<W>(matrix[at]) : W(0);
    if constexpr (kIsComplex<W>) element = W(element.real(), conjugated ? -element.imag() : element.imag());
    tile[of_depth][of_side] = element;
  }
}

// W: the type in which elements are multiplied.
template <typename T, typename W>
__global__ void __launch_bounds__(kGpuThreads) MultiplyTiles(Products work, const T* a, const T* b, T* out) {
  __shared__ typename ProductTile<W>::Factor left, right;
  const int64 rows = work.a.rows, depth = work.a.columns, columns = work.b.columns;
  const int64 of_product = work.down * work.across;
  for (int64 tile = blockIdx.x; tile < work.batch.count() * of_product; tile += gridDim.x) {
    const int64 product = tile / of_product;
    const int64 i = tile % of_product / work.across * kTile, j = tile % work.across * kTile;
    int64 at[2];
    work.batch.Find(product, at);
    ProductTile<W> sums;
    for (int64 d = 0; d < depth; d += kDepth) {
      LoadTile<T, W>(a + at[0] * rows * depth, work.a.transposed, work.a.conjugated, rows, depth, i, d, left);
      LoadTile<T, W>(b + at[1] * depth * columns, !work.b.transposed, work.b.conjugated, columns, depth, j, d, right);
      sums.Add(left, right);
    }
    sums.Write(i, j, rows, columns, out + product * rows * columns);
  }
}

struct GpuMatMulLoops {
  template <typename OnCpu>
  static Status Run(OpKernelContext* context, const Matrices& a, const void* a_data, const Matrices& b,
                    const void* b_data, const Broadcast& batch, void* out) {
    typedef GpuType<OnCpu> T;
    typedef std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::common_type<Wide<T>>> Multiplied;
    if (batch.shape().num_elements() == 0 || a.rows == 0 || b.columns == 0) return Status();
    const Products work = {a, b, PlacesOf<2>(batch), (a.rows + kTile - 1) / kTile, (b.columns + kTile - 1) / kTile};
    const auto blocks = static_cast<unsigned>(std::min<int64>(work.tiles(), INT32_MAX));
    return GpuLaunchKernel(MultiplyTiles<T, typename Multiplied::type>, blocks, kGpuThreads, 0, GetGpuStream(context),
                           work, static_cast<const T*>(a_data), static_cast<const T*>(b_data), static_cast<T*>(out));
  }
};

#define REGISTER_GPU_MATMUL(name, ...) REGISTER_KERNEL_BUILDER(ON_GPU(name, MatMulTypes).Capturable(), __VA_ARGS__)
REGISTER_GPU_MATMUL("MatMul", MatMulOp<GpuMultiplier>)
REGISTER_GPU_MATMUL("BatchMatMul", BatchMatMulOp<false, GpuMultiplier>)
REGISTER_GPU_MATMUL("BatchMatMulV2", BatchMatMulOp<true, GpuMultiplier>)

}  // namespace

MatMulLoop GpuMatMulLoop(DataType type) {
  return LoopFor<GpuMatMulLoops>(type, MatMulTypes());
}

}  // namespace math_ops

#endif  // GOOGLE_CUDA
