// plugins/math_ops/unary_simple_ops.cc: Neg and other functions of one number that need no approximation.
// SPDX-License-Identifier: Apache-2.0
#include "arithmetic.h"
#include "unary.h"

namespace math_ops {
namespace {

typedef Join<Join<Floats, SignedInts>, Complexes> SignedNumbers;
#define SIGNED_NUMBERS MATH_OPS_FLOATS ", " MATH_OPS_SIGNED_INTS ", " MATH_OPS_COMPLEXES

REGISTER_UNARY_OP("Neg", SIGNED_NUMBERS)
    .Gradient(R"yaml(
nodes:
  dx: {op: Neg, in: grad.y}
outputs: {x: dx}
)yaml")
    .Doc(R"doc(
Computes -x for each element.

The smallest number of an integer type has no opposite, and stays as it is.

x: Numbers.
y: Their opposites.
)doc");

REGISTER_UNARY_KERNEL("Neg", Neg, SignedNumbers)

}  // namespace
}  // namespace math_ops
