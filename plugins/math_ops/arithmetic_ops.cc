// plugins/math_ops/arithmetic_ops.cc: Add, Sub, Mul and SquaredDifference.
// SPDX-License-Identifier: Apache-2.0
#include "elementwise.h"
#include "opsrun/plugin.h"

OPSRUN_PLUGIN("math_ops", "0.1.0");
OPSRUN_PLUGIN_META("Apache-2.0", "", "Arithmetic, reductions, matrix products, convolutions and pooling");

namespace math_ops {
namespace {

// A sentence of all docs in this file.
#define WRAPS "Integers wrap on overflow. float16 and bfloat16 are computed as float32 and rounded once.\n\n"
#define NUMBERS_X_Y "x: Numbers of any shape.\ny: Numbers of a shape that can be broadcast with x's.\n"

REGISTER_ARITHMETIC_OP("Add", MATH_OPS_NUMBERS ", string", SumOf)
    .SetIsCommutative()
    .Gradient("nodes:\n" SUM_BACK("grad.z", "grad.z"))
    .Doc("Computes x + y for each element, with broadcasting. Strings are joined.\n\n" WRAPS NUMBERS_X_Y
         "z: The sums.\n");
REGISTER_ARITHMETIC_OP("AddV2", MATH_OPS_NUMBERS, SumOf)
    .SetIsCommutative()
    .SetIsAggregate()
    .Gradient("nodes:\n" SUM_BACK("grad.z", "grad.z"))
    .Doc("Computes x + y for each element, with broadcasting. Add also joins strings.\n\n" WRAPS NUMBERS_X_Y
         "z: The sums.\n");

REGISTER_ARITHMETIC_OP("Sub", MATH_OPS_NUMBERS, DifferenceOf)
    .Gradient("nodes:\n  gy: {op: Neg, in: grad.z}\n" SUM_BACK("grad.z", "gy"))
    .Doc("Computes x - y for each element, with broadcasting.\n\n" WRAPS NUMBERS_X_Y "z: The differences.\n");

REGISTER_ARITHMETIC_OP("Mul", MATH_OPS_NUMBERS, ProductOf)
    .SetIsCommutative()
    .Gradient(R"yaml(
nodes:
  conj_x: {op: Conj, in: x}
  conj_y: {op: Conj, in: y}
  gx: {op: Mul, in: [grad.z, conj_y]}
  gy: {op: Mul, in: [grad.z, conj_x]}
)yaml" SUM_BACK("gx", "gy"))
    .Doc("Computes x * y for each element, with broadcasting.\n\n" WRAPS NUMBERS_X_Y "z: The products.\n");

// The result is real, so only the real part of its gradient counts. The sum of the gradient and its conjugate is twice
// that part.
REGISTER_BINARY_OP("SquaredDifference", MATH_OPS_FLOATS ", int32, int64, " MATH_OPS_COMPLEXES)
    .SetIsCommutative()
    .Gradient(R"yaml(
nodes:
  difference: {op: Sub, in: [x, y]}
  conj_g: {op: Conj, in: grad.z}
  twice: {op: Add, in: [grad.z, conj_g]}
  gx: {op: Mul, in: [twice, difference]}
  gy: {op: Neg, in: gx}
)yaml" SUM_BACK("gx", "gy"))
    .Doc("Computes (x - y) * conj(x - y) for each element, with broadcasting: the squares of the differences.\n\n" WRAPS
             NUMBERS_X_Y "z: The squares. Those of complex numbers have no imaginary part.\n");

REGISTER_KERNEL_BUILDER(
    Name("Add").Device(DEVICE_CPU).Elementwise().Tiled().TypeConstraint("T", TypesOf<Numbers>::kAll),
    BinaryOp<Add, Numbers>)
REGISTER_BINARY_KERNEL("AddV2", Add, Numbers)
REGISTER_BINARY_KERNEL("Sub", Sub, Numbers)
REGISTER_BINARY_KERNEL("Mul", Mul, Numbers)
typedef Join<Join<Floats, TypeList<int32_t, int64_t>>, Complexes> SquaredDifferenceTypes;
REGISTER_BINARY_KERNEL("SquaredDifference", SquaredDifference, SquaredDifferenceTypes)

// Div and the other divisions, and their remainders: Mod and FloorMod.

#define DIVIDENDS_AND_DIVISORS \
  "x: The dividends, of any shape.\ny: The divisors, of a shape that can be broadcast with x's.\n"
#define NOTE_ON_INTEGERS                                                                                           \
  "An integer y of 0 is an error. The smallest integer divided by -1 wraps. float16 and bfloat16 are computed as " \
  "float32 and rounded once.\n\n"

// The gradient of an op that divides as `division` does.
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

REGISTER_BINARY_OP("RealDiv", MATH_OPS_FLOATS_AND_COMPLEXES)
    .Gradient(GRADIENT_OF("RealDiv"))
    .Doc("Computes x / y for each element, with broadcasting.\n\n" DIVIDENDS_AND_DIVISORS "z: The quotients.\n");

REGISTER_BINARY_OP("DivNoNan", MATH_OPS_FLOATS_AND_COMPLEXES)
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
        "Computes the remainder of a division that drops the fraction, for each element, with broadcasting.\n\n"
        "What is not 0 has the sign of x: -7 and 2 give -1.\n\n" NOTE_ON_INTEGERS DIVIDENDS_AND_DIVISORS
        "z: The remainders.\n");

REGISTER_BINARY_KERNEL("DivNoNan", DivNoNan, FloatsAndComplexes)
REGISTER_BINARY_KERNEL("RealDiv", Div, FloatsAndComplexes)

// Integers cannot be divided by 0.
#define REGISTER_DIVISION_KERNELS(name, Function, Types)                                                            \
  REGISTER_KERNEL_BUILDER(                                                                                          \
      Name(name).Device(DEVICE_CPU).Elementwise().Tiled().TypeConstraint("T", TypesOf<Types>::kAll),                \
      BinaryOp<Function, Types>)                                                                                    \
  REGISTER_KERNEL_BUILDER(Name(name).Device(DEVICE_CPU).Elementwise().TypeConstraint("T", TypesOf<Integers>::kAll), \
                          BinaryOp<Function, Integers>)
REGISTER_DIVISION_KERNELS("Div", Div, FloatsAndComplexes)
REGISTER_DIVISION_KERNELS("FloorDiv", FloorDiv, Floats)
REGISTER_DIVISION_KERNELS("FloorMod", FloorMod, Floats)
REGISTER_DIVISION_KERNELS("Mod", Mod, Floats)

// Maximum and Minimum.

// Where x and y are equal, the gradient goes to x.
#define EXTREME_GRADIENT(comparison)                 \
  "feeds:\n"                                         \
  "  zero: {value: 0, dtype: {attr: T}}\n"           \
  "nodes:\n"                                         \
  "  is_x: {op: " comparison                         \
  ", in: [x, y]}\n"                                  \
  "  gx: {op: SelectV2, in: [is_x, grad.z, zero]}\n" \
  "  gy: {op: SelectV2, in: [is_x, zero, grad.z]}\n" SUM_BACK("gx", "gy")

#define REGISTER_EXTREME(name, Function, of, comparison, which)                                  \
  REGISTER_ARITHMETIC_OP(name, MATH_OPS_REAL_NUMBERS, of)                                        \
      .SetIsCommutative()                                                                        \
      .Gradient(EXTREME_GRADIENT(comparison))                                                    \
      .Doc("Gives the " which                                                                    \
           " of x and y for each element, with broadcasting.\n\nThe result is NaN if x or y is " \
           "NaN.\n\n" NUMBERS_X_Y "z: The " which " numbers.\n");                                \
  REGISTER_BINARY_KERNEL(name, Function, RealNumbers)
REGISTER_EXTREME("Maximum", Larger, LargerOf, "GreaterEqual", "larger")
REGISTER_EXTREME("Minimum", Smaller, SmallerOf, "LessEqual", "smaller")

}  // namespace
}  // namespace math_ops
