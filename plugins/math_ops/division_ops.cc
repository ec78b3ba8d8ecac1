// plugins/math_ops/division_ops.cc: Div and the other divisions, and what they leave: Mod and FloorMod.
// SPDX-License-Identifier: Apache-2.0
#include "binary.h"
#include "division.h"

namespace math_ops {
namespace {

#define DIVIDENDS_AND_DIVISORS \
  "x: The dividends, of any shape.\ny: The divisors, of a shape that can be broadcast with x's.\n"
#define NOTE_ON_INTEGERS                                                                                           \
  "An integer y of 0 is an error. The smallest integer divided by -1 wraps. float16 and bfloat16 are computed as " \
  "float32 and rounded once.\n\n"

// Of an op that divides as `division` does.
#define GRADIENT_OF(division)                \
  "nodes:\n"                                 \
  "  conj_y: {op: Conj, in: y}\n"            \
  "  conj_z: {op: Conj, in: z}\n"            \
  "  gx: {op: " division                     \
  ", in: [grad.z, conj_y]}\n"                \
  "  product: {op: Mul, in: [gx, conj_z]}\n" \
  "  gy: {op: Neg, in: product}\n" SUM_BACK("gx", "gy")

REGISTER_ARITHMETIC_OP("Div", MATH_OPS_NUMBERS, QuotientOf)
    .Gradient(GRADIENT_OF("RealDiv"))
    .Doc(
        "Computes x / y for each element, with broadcasting. Integers drop the fraction: -7 / 2 is "
        "-3.\n\n" NOTE_ON_INTEGERS DIVIDENDS_AND_DIVISORS "z: The quotients.\n");

REGISTER_BINARY_OP("RealDiv", MATH_OPS_FLOATS ", " MATH_OPS_COMPLEXES)
    .Gradient(GRADIENT_OF("RealDiv"))
    .Doc("Computes x / y for each element, with broadcasting.\n\n" DIVIDENDS_AND_DIVISORS "z: The quotients.\n");

REGISTER_BINARY_OP("DivNoNan", MATH_OPS_FLOATS ", " MATH_OPS_COMPLEXES)
    .Gradient(GRADIENT_OF("DivNoNan"))
    .Doc(
        "Computes x / y for each element, or 0 where y is 0, with broadcasting.\n\nfloat16 and bfloat16 are computed "
        "as float32 and rounded once.\n\n" DIVIDENDS_AND_DIVISORS
        "z: The quotients: 0 where y is 0, also of NaN and infinity.\n");

REGISTER_ARITHMETIC_OP("FloorDiv", MATH_OPS_REAL_NUMBERS, FloorQuotientOf)
    .NotDifferentiable()
    .Doc("Computes floor(x / y) for each element, with broadcasting: -7 and 2 give -4.\n\n" NOTE_ON_INTEGERS
             DIVIDENDS_AND_DIVISORS "z: The quotients, rounded down.\n");

REGISTER_ARITHMETIC_OP("FloorMod", MATH_OPS_REAL_NUMBERS, FloorRemainderOf)
    .Gradient(R"yaml(
nodes:
  quotient: {op: FloorDiv, in: [x, y]}
  product: {op: Mul, in: [grad.z, quotient]}
  gy: {op: Neg, in: product}
)yaml" SUM_BACK("grad.z", "gy"))
    .Doc(
        "Computes the remainder of a division whose quotient is rounded down, for each element, with broadcasting.\n\n"
        "A remainder that is not 0 has the sign of y: -7 and 2 give 1. Remainders of floats are exact, while FloorDiv "
        "rounds x / y before it rounds down: of 1 and the float32 0.1, FloorMod gives 0.09999999, and FloorDiv "
        "10.\n\n" NOTE_ON_INTEGERS DIVIDENDS_AND_DIVISORS "z: The remainders.\n");

REGISTER_ARITHMETIC_OP("Mod", MATH_OPS_REAL_NUMBERS, RemainderOf)
    .Gradient(R"yaml(
nodes:
  multiple: {op: Sub, in: [x, z]}
  quotient: {op: RealDiv, in: [multiple, y]}
  product: {op: Mul, in: [grad.z, quotient]}
  gy: {op: Neg, in: product}
)yaml" SUM_BACK("grad.z", "gy"))
    .Doc(
        "Computes what a division that drops the fraction leaves of x, for each element, with broadcasting.\n\n"
        "What is not 0 has the sign of x: -7 and 2 give -1.\n\n" NOTE_ON_INTEGERS DIVIDENDS_AND_DIVISORS
        "z: The remainders.\n");

typedef Join<Floats, Complexes> RealDivTypes;
REGISTER_BINARY_KERNEL("DivNoNan", DivNoNan, RealDivTypes)
REGISTER_BINARY_KERNEL("Div", Div, Numbers)
REGISTER_BINARY_KERNEL("RealDiv", Div, RealDivTypes)
REGISTER_BINARY_KERNEL("FloorDiv", FloorDiv, RealNumbers)
REGISTER_BINARY_KERNEL("FloorMod", FloorMod, RealNumbers)
REGISTER_BINARY_KERNEL("Mod", Mod, RealNumbers)

}  // namespace
}  // namespace math_ops
