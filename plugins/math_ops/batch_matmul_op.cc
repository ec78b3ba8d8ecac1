// plugins/math_ops/batch_matmul_op.cc: BatchMatMul and BatchMatMulV2, the products of many matrices.
// SPDX-License-Identifier: Apache-2.0
#include "broadcast.h"
#include "matmul.h"
#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"

namespace math_ops {
namespace {

using namespace opsrun;

#define REGISTER_BATCH_MATMUL(name)           \
  REGISTER_OP(name)                           \
      .Input("x: T")                          \
      .Input("y: T")                          \
      .Output("output: T")                    \
      .Attr("T: {" MATH_OPS_MATMUL_TYPES "}") \
      .Attr("adj_x: bool = false")            \
      .Attr("adj_y: bool = false")

#define NUMBERS "Integers wrap on overflow. float16 and bfloat16 are computed as float32 and rounded once.\n\n"
#define ADJOINTS                                                                                 \
  "adj_x: Whether the matrices of x are transposed first, and conjugated if they are complex.\n" \
  "adj_y: The same for y.\n"

REGISTER_BATCH_MATMUL("BatchMatMul")
    .SetShapeFn(shape_inference::BatchMatMulShape)
    .Gradient(R"yaml(
nodes:
  dx: {op: BatchMatMul, in: [grad.output, y], attrs: {adj_y: {attr: adj_y, true: false, false: true}}}
  dx_adjoint: {op: BatchMatMul, in: [y, grad.output], attrs: {adj_x: {attr: adj_y}, adj_y: true}}
  dy: {op: BatchMatMul, in: [x, grad.output], attrs: {adj_x: {attr: adj_x, true: false, false: true}}}
  dy_adjoint: {op: BatchMatMul, in: [grad.output, x], attrs: {adj_x: true, adj_y: {attr: adj_x}}}
outputs:
  x: {attr: adj_x, true: dx_adjoint, false: dx}
  y: {attr: adj_y, true: dy_adjoint, false: dy}
)yaml")
    .Doc("Multiplies matrices in the last two dimensions, one pair for each index of the others.\n\n" NUMBERS
         "x: Matrices, [.., m, k], or [.., k, m] with adj_x.\n"
         "y: As many matrices, [.., k, n], or [.., n, k] with adj_y. The dimensions before the last two are those of "
         "x.\n"
         "output: Their products, [.., m, n].\n" ADJOINTS);

REGISTER_BATCH_MATMUL("BatchMatMulV2")
    .SetShapeFn(shape_inference::BatchMatMulV2Shape)
    .Gradient(R"yaml(
nodes:
  dx: {op: BatchMatMulV2, in: [grad.output, y], attrs: {adj_y: {attr: adj_y, true: false, false: true}}}
  dx_adjoint: {op: BatchMatMulV2, in: [y, grad.output], attrs: {adj_x: {attr: adj_y}, adj_y: true}}
  dy: {op: BatchMatMulV2, in: [x, grad.output], attrs: {adj_x: {attr: adj_x, true: false, false: true}}}
  dy_adjoint: {op: BatchMatMulV2, in: [grad.output, x], attrs: {adj_x: true, adj_y: {attr: adj_x}}}
  x_shape: {op: Shape, in: x}
  y_shape: {op: Shape, in: y}
  x_sum: {op: SumToShape, in: [{attr: adj_x, true: dx_adjoint, false: dx}, x_shape]}
  y_sum: {op: SumToShape, in: [{attr: adj_y, true: dy_adjoint, false: dy}, y_shape]}
outputs: {x: x_sum, y: y_sum}
)yaml")
    .Doc("Multiplies matrices in the last two dimensions, with broadcasting of the others.\n\n" NUMBERS
         "x: Matrices, [.., m, k], or [.., k, m] with adj_x.\n"
         "y: Matrices, [.., k, n], or [.., n, k] with adj_y. Its dimensions before the last two are broadcast with "
         "x's.\n"
         "output: Their products, [.., m, n].\n" ADJOINTS);

Status CheckRank(const Tensor& tensor, const char* name) {
  if (tensor.dims() >= 2) return Status::OK();
  return errors::InvalidArgument(name, " must have at least 2 dimensions, but its shape is ",
                                 tensor.shape().DebugString())
      .Blame(std::string("input:") + name);
}

// The dimensions before the last two.
TensorShape BatchOf(const TensorShape& shape) {
  TensorShape batch;
  for (int i = 0; i + 2 < shape.dims(); ++i) batch.AddDim(shape.dim_size(i));
  return batch;
}

Matrices MatricesOf(const TensorShape& shape, bool adjoint) {
  const int64 rows = shape.dim_size(shape.dims() - 2), columns = shape.dim_size(shape.dims() - 1);
  return {BatchOf(shape).num_elements(), adjoint ? columns : rows, adjoint ? rows : columns, adjoint, adjoint};
}

MatrixPairs PairsOf(const Broadcast& batch) {
  MatrixPairs pairs;
  batch.ForRuns(0, batch.shape().num_elements(), [&](const Run& run) {
    for (int64 i = 0; i < run.n; ++i) {
      pairs.left.push_back(run.at[0] + (run.walks[0] ? i : 0));
      pairs.right.push_back(run.at[1] + (run.walks[1] ? i : 0));
    }
  });
  return pairs;
}

template <bool kBroadcasts>
class BatchMatMulOp : public OpKernel {
 public:
  explicit BatchMatMulOp(OpKernelConstruction* context)
      : OpKernel(context), loop_(MatMulLoopFor(context->input_type(0))) {
    OP_REQUIRES_OK(context, context->GetAttr("adj_x", &adj_x_));
    OP_REQUIRES_OK(context, context->GetAttr("adj_y", &adj_y_));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor &x = context->input(0), &y = context->input(1);
    OP_REQUIRES_OK(context, CheckRank(x, "x"));
    OP_REQUIRES_OK(context, CheckRank(y, "y"));
    const Matrices left = MatricesOf(x.shape(), adj_x_), right = MatricesOf(y.shape(), adj_y_);
    OP_REQUIRES(context, left.columns == right.rows, Differ("matrices of x and y cannot be multiplied", x, y));
    Broadcast batch;
    OP_REQUIRES_OK(context, MakeBatch(x, y, &batch));
    TensorShape shape = batch.shape();
    shape.AddDim(left.rows);
    shape.AddDim(right.columns);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    if (output->NumElements() == 0) return;  // of which there may be more pairs than memory
    OP_REQUIRES_OK(context, loop_(context, left, x.data(), right, y.data(), PairsOf(batch), output->data()));
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

  const MatMulLoop loop_;
  bool adj_x_ = false, adj_y_ = false;
};

REGISTER_KERNEL_BUILDER(Name("BatchMatMul").Device(DEVICE_CPU), BatchMatMulOp<false>);
REGISTER_KERNEL_BUILDER(Name("BatchMatMulV2").Device(DEVICE_CPU), BatchMatMulOp<true>);

}  // namespace
}  // namespace math_ops
