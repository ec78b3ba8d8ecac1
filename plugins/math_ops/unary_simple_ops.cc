// plugins/math_ops/unary_simple_ops.cc: Neg and other functions of one number that need no approximation.
// SPDX-License-Identifier: Apache-2.0
#include "unary.h"
#include "unary_functions.h"

namespace math_ops {
namespace {

typedef Join<Floats, SignedInts> SignedRealNumbers;
#define SIGNED_REAL_NUMBERS MATH_OPS_FLOATS ", " MATH_OPS_SIGNED_INTS
typedef Join<SignedRealNumbers, Complexes> SignedNumbers;
#define SIGNED_NUMBERS SIGNED_REAL_NUMBERS ", " MATH_OPS_COMPLEXES

#define COMPUTES(sentence) "Computes " sentence " for each element.\n\nInteger results that are too large wrap.\n\n"

REGISTER_UNARY_OP("Neg", SIGNED_NUMBERS)
    .Gradient(R"yaml(
nodes:
  dx: {op: Neg, in: grad.y}
outputs: {x: dx}
)yaml")
    .Doc(COMPUTES("-x") "x: Numbers.\ny: Their opposites.\n");

REGISTER_UNARY_OP("Abs", SIGNED_REAL_NUMBERS)
    .Gradient(R"yaml(
nodes:
  sign: {op: Sign, in: x}
  dx: {op: Mul, in: [grad.y, sign]}
outputs: {x: dx}
)yaml")
    .Doc(COMPUTES("|x|") "x: Numbers. For complex ones, use ComplexAbs.\ny: Their absolute values.\n");

// Of a complex number z, the sign is z / |z|: its gradient is (g - y^2 conj(g)) / 2|z|, and 0 for 0.
REGISTER_UNARY_OP("Sign", SIGNED_NUMBERS)
    .Gradient(R"yaml(
feeds:
  zero: {value: 0, dtype: {attr: T}}
nodes:
  zeros: {op: ZerosLike, in: x}
  square: {op: Square, in: y}
  conj_grad: {op: Conj, in: grad.y}
  along: {op: Mul, in: [square, conj_grad]}
  across: {op: Sub, in: [grad.y, along]}
  conj_y: {op: Conj, in: y}
  length: {op: Mul, in: [x, conj_y]}
  twice: {op: Add, in: [length, length]}
  slope: {op: Div, in: [across, twice]}
  is_zero: {op: Equal, in: [x, zero]}
  dz: {op: SelectV2, in: [is_zero, zero, slope]}
outputs:
  x: {attr: T, complex64: dz, complex128: dz, float64: zeros, float32: zeros, float16: zeros, bfloat16: zeros}
)yaml")
    .Doc(R"doc(
Computes the sign of each element.

x: Numbers.
y: 1, 0 or -1, and NaN for NaN. For a complex number, x / |x|, or 0 for 0.
)doc");

REGISTER_UNARY_OP("Square", MATH_OPS_NUMBERS)
    .Gradient(R"yaml(
feeds:
  two: {value: 2, dtype: {attr: T}}
nodes:
  conj_x: {op: Conj, in: x}
  slope: {op: Mul, in: [two, conj_x]}
  dx: {op: Mul, in: [grad.y, slope]}
outputs: {x: dx}
)yaml")
    .Doc(COMPUTES("x * x") "x: Numbers.\ny: Their squares.\n");

REGISTER_UNARY_OP("Reciprocal", MATH_OPS_FLOATS ", " MATH_OPS_COMPLEXES)
    .Gradient(Y_WHERE_A_GRADIENT_COMES_IN("-1") R"yaml(
  square: {op: Square, in: finite}
  slope: {op: Mul, in: [factor, square]}
)yaml" TIMES_SLOPE("slope"))
    .Doc("Computes 1 / x for each element.\n\nx: Numbers.\ny: Their reciprocals.\n");

typedef Join<Floats, Complexes> ReciprocalTypes;
REGISTER_UNARY_KERNEL("Neg", Neg, SignedNumbers)
REGISTER_UNARY_KERNEL("Abs", Abs, SignedRealNumbers)
REGISTER_UNARY_KERNEL("Sign", Sign, SignedNumbers)
REGISTER_UNARY_KERNEL("Square", Square, Numbers)
REGISTER_UNARY_KERNEL("Reciprocal", Reciprocal, ReciprocalTypes)

}  // namespace
}  // namespace math_ops
