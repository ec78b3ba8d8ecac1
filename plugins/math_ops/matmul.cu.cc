// plugins/math_ops/matmul.cu.cc: matrix products on a GPU: of integers and complex numbers, and of floats where cuBLAS
// is not available (GpuMultiplier).
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include "matmul.h"

#include "gpu_tiles.cu.h"

namespace math_ops {
namespace {

// is_left: the matrices share their rows with the product, otherwise their columns.
template <typename T>
MatrixFactor<T> FactorOf(const Matrices& shape, bool is_left, const void* data) {
  return {static_cast<const T*>(data), shape.transposed == is_left, shape.transposed ? shape.rows : shape.columns,
          shape.conjugated};
}

struct GpuMatMulLoops {
  template <typename OnCpu>
  static Status Run(OpKernelContext* context, const Matrices& a, const void* a_data, const Matrices& b,
                    const void* b_data, const Broadcast& batch, void* out) {
    typedef GpuType<OnCpu> T;
    const int64 products = batch.shape().num_elements();
    if (products == 0 || a.rows == 0 || b.columns == 0) return Status();
    ProductSize size = {a.rows, a.columns, b.columns, products};
    for (int d = 0; d < batch.rank(); ++d) {
      const int64* const steps = batch.dim(d).steps;
      const int64 of_elements[] = {steps[0] * a.elements(), steps[1] * b.elements()};
      size.matrices.AddInside(batch.dim(d).size, of_elements);
    }
    return MultiplyOnGpu(context, size, FactorOf<T>(a, true, a_data), FactorOf<T>(b, false, b_data),
                         static_cast<T*>(out));
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
