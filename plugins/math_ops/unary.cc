// plugins/math_ops/unary.cc: functions of one number that are exact.
// SPDX-License-Identifier: Apache-2.0
#include "complex_ops.h"
#include "elementwise.h"

namespace math_ops {
namespace {

#define COMPUTES(sentence) "Computes " sentence " for each element.\n\nInteger results that are too large wrap.\n\n"

REGISTER_UNARY_OP("Neg", MATH_OPS_SIGNED_NUMBERS)
    .Gradient("nodes: {dx: {op: Neg, in: grad.y}}\noutputs: {x: dx}\n")
    .Doc(COMPUTES("-x") "x: Numbers.\ny: Their opposites.\n");

REGISTER_UNARY_OP("Abs", MATH_OPS_SIGNED_REAL_NUMBERS)
    .Gradient(R"yaml(
nodes:
  sign: {op: Sign, in: x}
  dx: {op: Mul, in: [grad.y, sign]}
outputs: {x: dx}
)yaml")
    .Doc(COMPUTES("|x|") "x: Numbers. For complex ones, use ComplexAbs.\ny: Their absolute values.\n");

// The sign of a complex number is y = z / |z|. Its gradient is (g - y^2 conj(g)) / 2|z|, and 0 for z = 0.
REGISTER_UNARY_OP("Sign", MATH_OPS_SIGNED_NUMBERS)
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

REGISTER_UNARY_OP("Reciprocal", MATH_OPS_FLOATS_AND_COMPLEXES)
    .Gradient(SLOPE_OF_FINITE("-1", "  square: {op: Square, in: finite}\n  slope: {op: Mul, in: [factor, square]}\n"))
    .Doc("Computes 1 / x for each element.\n\nx: Numbers.\ny: Their reciprocals.\n");

REGISTER_UNARY_KERNEL("Neg", Neg, SignedNumbers)
REGISTER_UNARY_KERNEL("Abs", Abs, SignedRealNumbers)
REGISTER_UNARY_KERNEL("Sign", Sign, SignedNumbers)
REGISTER_UNARY_KERNEL("Square", Square, Numbers)
REGISTER_UNARY_KERNEL("Reciprocal", Reciprocal, FloatsAndComplexes)

// Floor, Ceil and Round, IsNan, IsInf and IsFinite, and LogicalNot.

// For bools, which are bytes of 0 or 1.
struct Not {
  uint8_t operator()(uint8_t x) const { return x ^ 1; }
};

#define REGISTER_TEST_OP(name, doc)                        \
  REGISTER_OP(#name)                                       \
      .Input("x: T")                                       \
      .Output("y: bool")                                   \
      .Attr("T: {" MATH_OPS_FLOATS_AND_COMPLEXES "}")      \
      .Broadcasts("()->()")                                \
      .SetShapeFn(shape_inference::UnchangedShape)         \
      .NotDifferentiable()                                 \
      .Doc(doc "\n\nx: Numbers.\ny: Whether it is so.\n"); \
  REGISTER_UNARY_KERNEL(#name, name, FloatsAndComplexes)
REGISTER_TEST_OP(IsNan, "Tests which elements are NaN. A complex number is if one of its parts is.")
REGISTER_TEST_OP(IsInf, "Tests which elements are infinite. A complex number is if one of its parts is.")
REGISTER_TEST_OP(IsFinite, "Tests which elements are neither infinite nor NaN. A complex number is if both parts are.")

REGISTER_UNARY_OP("Floor", MATH_OPS_FLOATS)
    .NotDifferentiable()
    .Doc("Rounds each element down to an integer.\n\nx: Numbers.\ny: The largest integers that are not larger.\n");
REGISTER_UNARY_OP("Ceil", MATH_OPS_FLOATS)
    .NotDifferentiable()
    .Doc("Rounds each element up to an integer.\n\nx: Numbers.\ny: The smallest integers that are not smaller.\n");
REGISTER_UNARY_OP("Round", MATH_OPS_SIGNED_NUMBERS)
    .NotDifferentiable()
    .Doc(
        "Rounds each element to the nearest integer; halves to the nearest even one, so that 0.5 gives 0 and 1.5 "
        "gives 2.\n\nx: Numbers.\ny: The nearest integers. Of complex numbers, both parts are rounded.\n");
// [batch]
REGISTER_OP("LogicalNot")
    .Input("x: bool")
    .Output("y: bool")
    .Broadcasts("()->()")
    .SetShapeFn(shape_inference::UnchangedShape)
    .NotDifferentiable()
    .Doc("Computes not x for each element.\n\nx: Any shape.\ny: The opposites.\n");
// [/batch]

REGISTER_UNARY_KERNEL("Floor", Floor, Floats)
REGISTER_UNARY_KERNEL("Ceil", Ceil, Floats)
REGISTER_UNARY_KERNEL("Round", Round, SignedNumbers)
REGISTER_UNARY_KERNEL("LogicalNot", Not, TypeList<uint8_t>, /*kPicoseconds=*/100)

}  // namespace
}  // namespace math_ops
