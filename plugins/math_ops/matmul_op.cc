// plugins/math_ops/matmul_op.cc: MatMul, the product of two matrices.
// SPDX-License-Identifier: Apache-2.0
#include "matmul.h"
#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"

namespace math_ops {
namespace {

using namespace opsrun;

REGISTER_OP("MatMul")
    .Input("a: T")
    .Input("b: T")
    .Output("product: T")
    .Attr("transpose_a: bool = false")
    .Attr("transpose_b: bool = false")
    .Attr("T: {" MATH_OPS_MATMUL_TYPES "}")
    .SetShapeFn(shape_inference::MatMulShape)
    .Gradient(R"yaml(
nodes:
  conj_a: {op: Conj, in: a}
  conj_b: {op: Conj, in: b}
  da: {op: MatMul, in: [grad.product, conj_b], attrs: {transpose_b: {attr: transpose_b, true: false, false: true}}}
  da_transposed: {op: MatMul, in: [conj_b, grad.product], attrs: {transpose_a: {attr: transpose_b}, transpose_b: true}}
  db: {op: MatMul, in: [conj_a, grad.product], attrs: {transpose_a: {attr: transpose_a, true: false, false: true}}}
  db_transposed: {op: MatMul, in: [grad.product, conj_a], attrs: {transpose_a: true, transpose_b: {attr: transpose_a}}}
outputs:
  a: {attr: transpose_a, true: da_transposed, false: da}
  b: {attr: transpose_b, true: db_transposed, false: db}
)yaml")
    .Doc(R"doc(
Multiplies two matrices.

Integers wrap on overflow. float16 and bfloat16 are computed as float32 and rounded once. A product of no elements, from
inputs with a dimension of size 0 that the output does not have, is zero.

a: A matrix, [m, k], or [k, m] with transpose_a.
b: A matrix, [k, n], or [n, k] with transpose_b.
product: Their product, [m, n].
transpose_a: Whether a is transposed first.
transpose_b: Whether b is transposed first.
)doc");

Status CheckMatrix(const Tensor& tensor, const char* name) {
  if (tensor.dims() == 2) return Status::OK();
  return errors::InvalidArgument(name, " must be a matrix, but its shape is ", tensor.shape().DebugString())
      .Blame(std::string("input:") + name);
}

class MatMulOp : public OpKernel {
 public:
  explicit MatMulOp(OpKernelConstruction* context) : OpKernel(context), loop_(MatMulLoopFor(context->input_type(0))) {
    OP_REQUIRES_OK(context, context->GetAttr("transpose_a", &transpose_a_));
    OP_REQUIRES_OK(context, context->GetAttr("transpose_b", &transpose_b_));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor &a = context->input(0), &b = context->input(1);
    OP_REQUIRES_OK(context, CheckMatrix(a, "a"));
    OP_REQUIRES_OK(context, CheckMatrix(b, "b"));
    const Matrices left = {1, a.dim_size(transpose_a_ ? 1 : 0), a.dim_size(transpose_a_ ? 0 : 1), transpose_a_};
    const Matrices right = {1, b.dim_size(transpose_b_ ? 1 : 0), b.dim_size(transpose_b_ ? 0 : 1), transpose_b_};
    OP_REQUIRES(context, left.columns == right.rows,
                errors::InvalidArgument("dimension ", transpose_a_ ? 0 : 1, " of a and dimension ",
                                        transpose_b_ ? 1 : 0, " of b must be equal, but the shapes are ",
                                        a.shape().DebugString(), " and ", b.shape().DebugString())
                    .Blame("input:a input:b"));
    Tensor* product = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape({left.rows, right.columns}), &product));
    OP_REQUIRES_OK(context, loop_(context, left, a.data(), right, b.data(), {{0}, {0}}, product->data()));
  }

 private:
  const MatMulLoop loop_;
  bool transpose_a_ = false, transpose_b_ = false;
};

REGISTER_KERNEL_BUILDER(Name("MatMul").Device(DEVICE_CPU), MatMulOp);

}  // namespace
}  // namespace math_ops
