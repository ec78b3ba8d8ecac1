// plugins/math_ops/gpu_multiplier.cc
// SPDX-License-Identifier: Apache-2.0
#if GOOGLE_CUDA

#include <utility>

#include "gpu_blas_library.h"
#include "gpu_handle.h"
#include "matmul.h"
#include "opsrun/gpu_launch.h"

namespace math_ops {
namespace {

typedef GpuHandle<GpuBlasLibrary> GpuBlas;

// out[i] = a[i] * b[i] for i in [0, count), of row-major matrices. A transposed one is stored as [columns, rows]. Steps
// are the distance between consecutive matrices, in elements; 0: all are the same. Requires: sizes are in [1,
// INT32_MAX].
struct GpuBlasProducts {
  DataType type;  // half, bfloat16, float or double
  int64 rows, depth, columns;
  bool a_transposed, b_transposed;
  int64 count, a_step, b_step, out_step;
  const void *a, *b;
  void* out;
};

// The number of bytes of device memory that a product may use while it runs. NVIDIA's recommendation: 32 MiB since
// Hopper, 4 MiB before. Some products are slower with less.
size_t WorkspaceBytes(const GpuBlas& blas) {
  return size_t{blas.major() >= 9 ? 32u : 4u} << 20;
}

int TypeOf(DataType type) {
  return type == DT_HALF       ? kCublasHalf
         : type == DT_BFLOAT16 ? kCublasBfloat16
         : type == DT_FLOAT    ? kCublasFloat
                               : kCublasDouble;
}

// cuBLAS is column-major, and a row-major matrix is a transposed column-major one. So this computes the transposed
// product, b^T * a^T, which needs no copies.
void Enqueue(const GpuBlasLibrary& library, CublasHandle handle, const GpuBlasProducts& p, GpuCallRow& row) {
  const auto rows = static_cast<int>(p.rows), depth = static_cast<int>(p.depth), columns = static_cast<int>(p.columns);
  const int type = TypeOf(p.type), a_operation = p.a_transposed ? kCublasTransposed : kCublasPlain,
            b_operation = p.b_transposed ? kCublasTransposed : kCublasPlain;
  const int a_leading = p.a_transposed ? rows : depth, b_leading = p.b_transposed ? depth : columns;
  const bool is_double = p.type == DT_DOUBLE;
  const int computed_in = is_double ? kCublasAsDouble : kCublasAsFloat;
  const void *const one = GpuScale(is_double, 1), *const zero = GpuScale(is_double, 0);
  if (p.count == 1) {
    row.Then("cublasGemmEx", library.cublasGemmEx, handle, b_operation, a_operation, columns, rows, depth, one, p.b,
             type, b_leading, p.a, type, a_leading, zero, p.out, type, columns, computed_in, kCublasAnyAlgorithm);
  } else {
    row.Then("cublasGemmStridedBatchedEx", library.cublasGemmStridedBatchedEx, handle, b_operation, a_operation,
             columns, rows, depth, one, p.b, type, b_leading, p.b_step, p.a, type, a_leading, p.a_step, zero, p.out,
             type, columns, p.out_step, static_cast<int>(p.count), computed_in, kCublasAnyAlgorithm);
  }
}

// Enqueues the products. float16 and bfloat16 are multiplied and added as float32 and rounded once; float32 is not
// rounded to TF32. *refused: this cuBLAS does not support the product on this card, and nothing was enqueued.
Status Multiply(GpuBlas* blas, const GpuBlasProducts& products, CUstream_st* stream, void* workspace, bool* refused) {
  const GpuBlasLibrary& library = blas->library();
  const auto enqueue = [&](CublasHandle handle, GpuCallRow& row) {
    // Setting a stream resets the handle to its own workspace, which two streams would share, and which may be
    // allocated during a capture.
    row.Then("cublasSetWorkspace", library.cublasSetWorkspace_v2, handle, workspace, WorkspaceBytes(*blas))
        .Then("cublasSetMathMode", library.cublasSetMathMode, handle, kCublasNoRoundedParts);
    Enqueue(library, handle, products, row);
  };
  return blas->Run(stream, enqueue, refused);
}

constexpr int64 kMostCalls = 64;  // enqueueing more calls takes longer than computing all products with the loop

// The batch dimension that a call of cuBLAS covers; the other dimensions take one call per element.
int LargestDim(const Broadcast& batch) {
  int largest = 0;
  for (int d = 1; d < batch.rank(); ++d) {
    if (batch.dim(d).size > batch.dim(largest).size) largest = d;
  }
  return largest;
}

bool FitsBlas(DataType type, const Matrices& a, const Matrices& b, const Broadcast& batch) {
  const int64 count = batch.dim(LargestDim(batch)).size,
              calls = batch.shape().num_elements() / std::max<int64>(count, 1);
  return (type == DT_HALF || type == DT_BFLOAT16 || type == DT_FLOAT || type == DT_DOUBLE) && a.columns > 0 &&
         calls <= kMostCalls && std::max({a.rows, a.columns, b.columns, count}) <= INT32_MAX;
}

// The products of a node as calls of cuBLAS: each call computes the pairs along dimension `walked` of the batch.
struct Work {
  DataType type;
  const Matrices &a, &b;
  const void *a_data, *b_data;
  void* out;
  const Broadcast& batch;
  int walked;

  int64 calls() const { return batch.shape().num_elements() / batch.dim(walked).size; }

  // The positions of the first pair of a call: of the matrices of a and b, and of the product.
  void FindPlaces(int64 call, int64 (&at)[3]) const {
    int64 step_of_out = 1;
    std::fill(at, at + 3, int64{0});
    for (int d = batch.rank() - 1; d >= 0; --d) {
      const Broadcast::Dim& dim = batch.dim(d);
      const int64 index = d == walked ? 0 : call % dim.size;
      if (d != walked) call /= dim.size;
      at[0] += index * dim.steps[0];
      at[1] += index * dim.steps[1];
      at[2] += index * step_of_out;
      step_of_out *= dim.size;
    }
  }

  int64 StepOfOut() const {
    int64 step = 1;
    for (int d = batch.rank() - 1; d > walked; --d) step *= batch.dim(d).size;
    return step;
  }

  const void* Skip(const void* data, int64 elements) const {
    return static_cast<const char*>(data) + elements * DataTypeSize(type);
  }

  GpuBlasProducts Call(int64 call) const {
    int64 at[3];
    FindPlaces(call, at);
    const Broadcast::Dim& dim = batch.dim(walked);
    const int64 product = a.rows * b.columns;
    GpuBlasProducts products = {type, a.rows, a.columns, b.columns, a.transposed, b.transposed, dim.size};
    products.a_step = dim.steps[0] * a.elements();
    products.b_step = dim.steps[1] * b.elements();
    products.out_step = StepOfOut() * product;
    products.a = Skip(a_data, at[0] * a.elements());
    products.b = Skip(b_data, at[1] * b.elements());
    products.out = const_cast<void*>(Skip(out, at[2] * product));
    return products;
  }
};

// Merges products of many matrices with the same right-hand matrix into one product of all their rows.
void JoinRows(GpuBlasProducts* products) {
  const bool is_one = products->b_step == 0 && !products->a_transposed &&
                      products->a_step == products->rows * products->depth &&
                      products->out_step == products->rows * products->columns;
  if (!is_one || products->rows > INT32_MAX / products->count) return;
  products->rows *= products->count;
  products->count = 1;
}

// *refused: cuBLAS does not support the product, and the results were not computed.
Status MultiplyByBlas(OpKernelContext* context, GpuBlas* blas, const Work& work, bool* refused) {
  Tensor workspace;
  const auto bytes = static_cast<int64>(WorkspaceBytes(*blas));
  TF_RETURN_IF_ERROR(context->allocate_temp(DT_UINT8, TensorShape({bytes}), &workspace));
  for (int64 i = 0; i < work.calls() && !*refused; ++i) {
    GpuBlasProducts products = work.Call(i);
    JoinRows(&products);
    TF_RETURN_IF_ERROR(Multiply(blas, products, GetGpuStream(context), workspace.data(), refused));
  }
  return Status::OK();
}

}  // namespace

GpuMultiplier::GpuMultiplier(DataType type) : type_(type), loop_(GpuMatMulLoop(type)) {}

Status GpuMultiplier::operator()(OpKernelContext* context, const Matrices& a, const void* a_data, const Matrices& b,
                                 const void* b_data, const Broadcast& batch, void* out) const {
  if (batch.shape().num_elements() == 0 || a.rows == 0 || b.columns == 0) return Status::OK();
  GpuBlas* blas = nullptr;
  if (FitsBlas(type_, a, b, batch)) TF_RETURN_IF_ERROR(blas_.Find(&blas));
  bool refused = blas == nullptr;
  if (!refused) {
    const Work work = {type_, a, b, a_data, b_data, out, batch, LargestDim(batch)};
    TF_RETURN_IF_ERROR(MultiplyByBlas(context, blas, work, &refused));
  }
  return refused ? loop_(context, a, a_data, b, b_data, batch, out) : Status::OK();
}

}  // namespace math_ops

#endif  // GOOGLE_CUDA
