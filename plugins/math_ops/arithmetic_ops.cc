// plugins/math_ops/arithmetic_ops.cc: Add, Sub, Mul and SquaredDifference.
// SPDX-License-Identifier: Apache-2.0
#include "arithmetic.h"
#include "binary.h"

namespace math_ops {
namespace {

// What all docs of this file say.
#define WRAPS "Integers wrap on overflow. float16 and bfloat16 are computed as float32 and rounded once.\n\n"
#define NUMBERS_X_Y "x: Numbers of any shape.\ny: Numbers of a shape that can be broadcast with x's.\n"

#define ADD_GRADIENT "nodes:\n" SUM_BACK("grad.z", "grad.z")

REGISTER_ARITHMETIC_OP("Add", MATH_OPS_NUMBERS ", string", SumOf)
    .SetIsCommutative()
    .Gradient(ADD_GRADIENT)
    .Doc("Computes x + y for each element, with broadcasting. Strings are joined.\n\n" WRAPS NUMBERS_X_Y
         "z: The sums.\n");

REGISTER_ARITHMETIC_OP("AddV2", MATH_OPS_NUMBERS, SumOf)
    .SetIsCommutative()
    .SetIsAggregate()
    .Gradient(ADD_GRADIENT)
    .Doc("Computes x + y for each element, with broadcasting. Add also joins strings.\n\n" WRAPS NUMBERS_X_Y
         "z: The sums.\n");

REGISTER_ARITHMETIC_OP("Sub", MATH_OPS_NUMBERS, DifferenceOf)
    .Gradient(R"yaml(
nodes:
  gy: {op: Neg, in: grad.z}
)yaml" SUM_BACK("grad.z", "gy"))
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

// The result is real, so only the real part of its gradient counts; twice that is its sum with its conjugate.
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

typedef BinaryOp<Add, Numbers> AddOp;
REGISTER_KERNEL_BUILDER(Name("Add").Device(opsrun::DEVICE_CPU).TypeConstraint("T", TypesOf<Numbers>::kAll), AddOp)
REGISTER_BINARY_KERNEL("AddV2", Add, Numbers)
REGISTER_BINARY_KERNEL("Sub", Sub, Numbers)
REGISTER_BINARY_KERNEL("Mul", Mul, Numbers)
typedef Join<Join<Floats, TypeList<int32_t, int64_t>>, Complexes> SquaredDifferenceTypes;
REGISTER_BINARY_KERNEL("SquaredDifference", SquaredDifference, SquaredDifferenceTypes)

}  // namespace
}  // namespace math_ops
