// plugins/math_ops/matmul_op.cc: MatMul, the product of two matrices.
// SPDX-License-Identifier: Apache-2.0
#include "matmul_ops.h"
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

typedef MatMulOp<CpuMultiplier> MatMulKernel;
REGISTER_KERNEL_BUILDER(Name("MatMul").Device(DEVICE_CPU), MatMulKernel);

}  // namespace
}  // namespace math_ops
