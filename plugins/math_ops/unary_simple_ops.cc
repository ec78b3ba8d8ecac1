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

REGISTER_UNARY_OP("Sign", SIGNED_NUMBERS).NotDifferentiable().Doc(R"doc(
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

REGISTER_OP("Relu")
    .Input("features: T")
    .Output("activations: T")
    .Attr("T: {" MATH_OPS_REAL_NUMBERS "}")
    .SetShapeFn(opsrun::shape_inference::UnchangedShape)
    .Gradient(R"yaml(
feeds:
  zero: {value: 0, dtype: {attr: T}}
nodes:
  passes: {op: Greater, in: [features, zero]}
  dfeatures: {op: SelectV2, in: [passes, grad.activations, zero]}
outputs: {features: dfeatures}
)yaml")
    .Doc(R"doc(
Sets negative elements to 0.

features: Numbers.
activations: The numbers, at least 0; NaN for NaN.
)doc");

typedef Join<Floats, Complexes> ReciprocalTypes;
REGISTER_UNARY_KERNEL("Neg", Neg, SignedNumbers)
REGISTER_UNARY_KERNEL("Abs", Abs, SignedRealNumbers)
REGISTER_UNARY_KERNEL("Sign", Sign, SignedNumbers)
REGISTER_UNARY_KERNEL("Square", Square, Numbers)
REGISTER_UNARY_KERNEL("Reciprocal", Reciprocal, ReciprocalTypes)
REGISTER_UNARY_KERNEL("Relu", Relu, RealNumbers)

}  // namespace
}  // namespace math_ops
