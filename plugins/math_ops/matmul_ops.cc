// plugins/math_ops/matmul_ops.cc: MatMul, BatchMatMul and BatchMatMulV2.
// SPDX-License-Identifier: Apache-2.0
#include "matmul.h"
#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"

namespace math_ops {
namespace {

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

// BatchMatMul and BatchMatMulV2.

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
    .Batches("(m,k),(k,n)->(m,n)")
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
    .Broadcasts("(m,k),(k,n)->(m,n)")
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
         "x: Matrices, [.., m, k], or [.., k, m] with adj_x. TensorFlow's op takes int16 as well.\n"
         "y: Matrices, [.., k, n], or [.., n, k] with adj_y. Its dimensions before the last two are broadcast with "
         "x's.\n"
         "output: Their products, [.., m, n].\n" ADJOINTS);

typedef BatchMatMulOp<false, CpuMultiplier> BatchMatMulKernel;
typedef BatchMatMulOp<true, CpuMultiplier> BatchMatMulV2Kernel;
REGISTER_KERNEL_BUILDER(Name("BatchMatMul").Device(DEVICE_CPU), BatchMatMulKernel);
REGISTER_KERNEL_BUILDER(Name("BatchMatMulV2").Device(DEVICE_CPU), BatchMatMulV2Kernel);

}  // namespace

}  // namespace math_ops
