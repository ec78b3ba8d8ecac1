// plugins/math_ops/matmul_ops.h: the kernels of MatMul and BatchMatMul, on any device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matmul.h"
#include "opsrun/check_shapes.h"

namespace math_ops {

// A Multiplier of the kernels below: constructed from the element type, and called like a MatMulLoop.
struct CpuMultiplier {
  const MatMulLoop loop;

  explicit CpuMultiplier(DataType type) : loop(CpuMatMulLoop(type)) {}
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

}  // namespace math_ops
