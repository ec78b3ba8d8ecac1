// plugins/math_ops/matmul.h: products of many matrices, and the kernels of MatMul and BatchMatMul, on any device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "broadcast.h"
#include "gpu_handle.h"
#include "isa_kernels.h"
#include "opsrun/check_shapes.h"
#include "opsrun/workspace.h"

namespace math_ops {

// Products of many matrices.

typedef TypeList<half, bfloat16, float, double, int32_t, int64_t, complex64, complex128> MatMulTypes;
#define MATH_OPS_MATMUL_TYPES "half, bfloat16, float, double, int32, int64, complex64, complex128"

// `count` consecutive matrices. A transposed one is stored as [columns, rows].
struct Matrices {
  int64 count, rows, columns;
  bool transposed = false, conjugated = false;

  int64 elements() const { return rows * columns; }
  // The offset of element (i, j) of a matrix.
  int64 At(int64 i, int64 j) const { return transposed ? j * rows + i : i * columns + j; }
};

// Computes one product for each element of `batch`, of the matrices of a and b that its two operands select. How the
// work is divided does not depend on the number of threads, so the result does not either. Requires: a.columns ==
// b.rows.
typedef Status (*MatMulLoop)(OpKernelContext* context, const Matrices& a, const void* a_data, const Matrices& b,
                             const void* b_data, const Broadcast& batch, void* out);
// For one of MatMulTypes: on the host's threads, and on a GPU.
MatMulLoop CpuMatMulLoop(DataType type);
MatMulLoop GpuMatMulLoop(DataType type);

// The factors of matrix products, in the form that the kernels of an instruction set take.
//
// These kernels multiply float, double and unsigned integers. float16 and bfloat16 are converted to float. A complex
// product is computed as a real one: [re, im] pairs in the rows of a, times the real form of b (isa_kernels.h), gives
// [re, im] pairs.

// The type in which T is multiplied.
template <typename T>
struct RealOf {
  typedef Wide<T> type;
};
template <>
struct RealOf<int32_t> {
  typedef uint32_t type;
};
template <>
struct RealOf<int64_t> {
  typedef uint64_t type;
};
template <typename T>
struct RealOf<std::complex<T>> {
  typedef T type;
};
template <typename T>
using Real = typename RealOf<T>::type;

// How many of them represent one T.
template <typename T>
constexpr int64 kParts = kIsComplex<T> ? 2 : 1;

// Whether T is multiplied in place, because Real<T> has the same representation.
template <typename T>
constexpr bool kIsReal = sizeof(T) == sizeof(Real<T>);

enum class Side { kLeft, kRight };

// The approximate time of a product.
inline int64 Nanoseconds(int64 rows, int64 depth, int64 columns) {
  constexpr double kProductsPerNanosecond = 40;
  const double products = static_cast<double>(rows) * static_cast<double>(depth) * static_cast<double>(columns);
  return static_cast<int64>(std::min(products / kProductsPerNanosecond, 1e15)) + 1;
}

// The threads that the kernel may use.
inline int64 NumThreads(OpKernelContext* context) {
  return context->device()->tensorflow_cpu_worker_threads()->num_threads;
}

// At the end of loops that a cancelled call leaves early: its results are then incomplete.
inline Status WhetherComplete(OpKernelContext* context) {
  return context->IsCancelled() ? errors::Cancelled("the run was cancelled") : Status::OK();
}

// Calls fn(i) for i in [0, units), on the host's threads.
template <typename Fn>
void ForUnits(OpKernelContext* context, int64 units, int64 nanoseconds, const Fn& fn) {
  Shard(context, units, nanoseconds, [&](int64 begin, int64 end) {
    for (int64 i = begin; i < end && !context->IsCancelled(); ++i) fn(i);
  });
}

// Matrices of T as matrices of Real<T>: the tensor's own memory if possible.
template <typename T>
class RealMatrices {
 public:
  // `data` and `workspace` must outlive this object.
  Status Read(OpKernelContext* context, Workspace& workspace, const Matrices& shape, Side side, const T* data) {
    if constexpr (kIsComplex<T>) {
      if (side == Side::kRight) {
        elements_ = shape.conjugated ? Elements::kConjugated : Elements::kComplex;
      } else if (shape.transposed || shape.conjugated) {
        return CopyPairs(context, workspace, shape, data);
      }
      Set(shape, reinterpret_cast<const Real<T>*>(data), 2);
    } else if constexpr (!kIsReal<T>) {
      return Convert(context, workspace, shape, data);
    } else {
      Set(shape, reinterpret_cast<const Real<T>*>(data), 1);
    }
    return Status::OK();
  }

  MatrixView<Real<T>> operator[](int64 i) const { return {data_ + i * size_, stride_, transposed_, elements_}; }

 private:
  void Set(const Matrices& shape, const Real<T>* data, int64 parts) {
    data_ = data;
    size_ = shape.elements() * parts;
    transposed_ = shape.transposed;
    stride_ = (transposed_ ? shape.rows : shape.columns) * parts;
  }

  Status Convert(OpKernelContext* context, Workspace& workspace, const Matrices& shape, const T* data) {
    const int64 elements = shape.count * shape.elements();
    float* out = nullptr;
    TF_RETURN_IF_ERROR(workspace.Take(elements * static_cast<int64>(sizeof(float)), &out));
    ForElements(context, elements, 500, [&](int64 begin, int64 end) {
      for (int64 i = begin; i < end; ++i) out[i] = static_cast<float>(data[i]);
    });
    Set(shape, out, 1);
    return Status::OK();
  }

  // The pairs of a left factor, neither transposed nor conjugated any more.
  Status CopyPairs(OpKernelContext* context, Workspace& workspace, const Matrices& shape, const T* data) {
    const int64 rows = shape.count * shape.rows, row_size = shape.columns * 2;
    Real<T>* out = nullptr;
    TF_RETURN_IF_ERROR(workspace.Take(rows * row_size * static_cast<int64>(sizeof(Real<T>)), &out));
    Shard(context, rows, row_size + 1, [&](int64 begin, int64 end) {
      for (int64 i = begin; i < end; ++i) CopyRow(shape, data, i, out + i * row_size);
    });
    Set({shape.count, shape.rows, shape.columns}, out, 2);
    return Status::OK();
  }

  // Copies row `row`, counted through all matrices.
  static void CopyRow(const Matrices& shape, const T* data, int64 row, Real<T>* out) {
    const int64 step = shape.At(0, 1);
    const T* const first = data + row / shape.rows * shape.elements() + shape.At(row % shape.rows, 0);
    const Real<T> sign = shape.conjugated ? Real<T>(-1) : Real<T>(1);
    for (int64 j = 0; j < shape.columns; ++j) {
      out[2 * j] = first[j * step].real();
      out[2 * j + 1] = sign * first[j * step].imag();
    }
  }

  const Real<T>* data_ = nullptr;
  int64 size_ = 0, stride_ = 0;
  bool transposed_ = false;
  Elements elements_ = Elements::kReal;
};

// The kernels for this processor. UNIMPLEMENTED: it is older than all compiled instruction sets.
Status FindKernels(const Kernels** kernels);

// The kernels of MatMul and BatchMatMul.

// A Multiplier of these kernels: constructed from the element type, and called like a MatMulLoop.
struct CpuMultiplier {
  const MatMulLoop loop;
  const bool converts;  // reads copies of both tensors as float32

  explicit CpuMultiplier(DataType type) : loop(CpuMatMulLoop(type)), converts(type == DT_HALF || type == DT_BFLOAT16) {}
  int64 WorkspaceBytes(const std::vector<TensorShape>& inputs) const {
    int64 bytes = 0;
    for (const TensorShape& shape : inputs) bytes += converts ? Workspace::BytesOf(4 * shape.num_elements()) : 0;
    return bytes;
  }
  template <typename... Arguments>
  Status operator()(const Arguments&... arguments) const {
    return loop(arguments...);
  }
};

template <typename Multiplier>
class MatMulOp : public OpKernel {
 public:
  explicit MatMulOp(OpKernelConstruction* context) : OpKernel(context), multiply_(context->input_type(0)) {
    OP_REQUIRES_OK(context, context->GetAttr("transpose_a", &transpose_a_));
    OP_REQUIRES_OK(context, context->GetAttr("transpose_b", &transpose_b_));
  }

  int64 WorkspaceBytes(const std::vector<TensorShape>& inputs) const { return multiply_.WorkspaceBytes(inputs); }

  void Compute(OpKernelContext* context) override {
    const Tensor &a = context->input(0), &b = context->input(1);
    OP_REQUIRES_OK(context, CheckMatrix(a.shape(), "a"));
    OP_REQUIRES_OK(context, CheckMatrix(b.shape(), "b"));
    const Matrices left = {1, a.dim_size(transpose_a_ ? 1 : 0), a.dim_size(transpose_a_ ? 0 : 1), transpose_a_};
    const Matrices right = {1, b.dim_size(transpose_b_ ? 1 : 0), b.dim_size(transpose_b_ ? 0 : 1), transpose_b_};
    OP_REQUIRES(context, left.columns == right.rows,
                errors::InvalidArgument("dimension ", transpose_a_ ? 0 : 1, " of a and dimension ",
                                        transpose_b_ ? 1 : 0, " of b must be equal, but the shapes are ",
                                        a.shape().DebugString(), " and ", b.shape().DebugString())
                    .Blame("input:a input:b"));
    Broadcast one;
    OP_REQUIRES_OK(context, one.Make({TensorShape(), TensorShape()}));
    Tensor* product = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({left.rows, right.columns}), &product));
    OP_REQUIRES_OK(context, multiply_(context, left, a.data(), right, b.data(), one, product->data()));
  }

 private:
  const Multiplier multiply_;
  bool transpose_a_ = false, transpose_b_ = false;
};

// The dimensions before the last two.
inline TensorShape BatchOf(const TensorShape& shape) {
  TensorShape batch;
  for (int i = 0; i + 2 < shape.dims(); ++i) batch.AddDim(shape.dim_size(i));
  return batch;
}

inline Matrices MatricesOf(const TensorShape& shape, bool adjoint) {
  const int64 rows = shape.dim_size(shape.dims() - 2), columns = shape.dim_size(shape.dims() - 1);
  return {BatchOf(shape).num_elements(), adjoint ? columns : rows, adjoint ? rows : columns, adjoint, adjoint};
}

template <bool kBroadcasts, typename Multiplier>
class BatchMatMulOp : public OpKernel {
 public:
  explicit BatchMatMulOp(OpKernelConstruction* context) : OpKernel(context), multiply_(context->input_type(0)) {
    OP_REQUIRES_OK(context, context->GetAttr("adj_x", &adj_x_));
    OP_REQUIRES_OK(context, context->GetAttr("adj_y", &adj_y_));
  }

  int64 WorkspaceBytes(const std::vector<TensorShape>& inputs) const { return multiply_.WorkspaceBytes(inputs); }

  void Compute(OpKernelContext* context) override {
    const Tensor &x = context->input(0), &y = context->input(1);
    OP_REQUIRES_OK(context, CheckRankAtLeast(x.shape(), "x", 2));
    OP_REQUIRES_OK(context, CheckRankAtLeast(y.shape(), "y", 2));
    const Matrices left = MatricesOf(x.shape(), adj_x_), right = MatricesOf(y.shape(), adj_y_);
    OP_REQUIRES(context, left.columns == right.rows, Differ("matrices of x and y cannot be multiplied", x, y));
    Broadcast batch;
    OP_REQUIRES_OK(context, MakeBatch(x, y, &batch));
    TensorShape shape = batch.shape();
    shape.AddDim(left.rows);
    shape.AddDim(right.columns);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    if (output->NumElements() == 0) return;  // there may be more pairs than fit in memory
    OP_REQUIRES_OK(context, multiply_(context, left, x.data(), right, y.data(), batch, output->data()));
  }

 private:
  static Status Differ(const char* problem, const Tensor& x, const Tensor& y) {
    return errors::InvalidArgument(problem, "; the shapes are ", x.shape().DebugString(), " and ",
                                   y.shape().DebugString())
        .Blame("input:x input:y");
  }

  static Status MakeBatch(const Tensor& x, const Tensor& y, Broadcast* batch) {
    const TensorShape x_batch = BatchOf(x.shape()), y_batch = BatchOf(y.shape());
    if (!kBroadcasts && x_batch != y_batch) return Differ("the dimensions before the last two must be equal", x, y);
    if (batch->Make({x_batch, y_batch}).ok()) return Status::OK();
    return Differ("the dimensions before the last two cannot be broadcast together", x, y);
  }

  const Multiplier multiply_;
  bool adj_x_ = false, adj_y_ = false;
};

// A Multiplier on a GPU, with cuBLAS or the loop of matmul.cu.cc.
//
// cuBLAS is the shared library libcublas.so.13, .12 or .11, the first that works here.

struct GpuBlasLibrary;

// Belongs to one kernel. cuBLAS multiplies float16, bfloat16, float32 and float64 where it is installed, unless a
// product would take many calls. Thread-safe.
class GpuMultiplier {
 public:
  explicit GpuMultiplier(DataType type);
  int64 WorkspaceBytes(const std::vector<TensorShape>&) const { return 0; }
  // A MatMulLoop.
  Status operator()(OpKernelContext* context, const Matrices& a, const void* a_data, const Matrices& b,
                    const void* b_data, const Broadcast& batch, void* out) const;

 private:
  const DataType type_;
  const MatMulLoop loop_;
  GpuHandleOfKernel<GpuBlasLibrary> blas_;
};

}  // namespace math_ops
