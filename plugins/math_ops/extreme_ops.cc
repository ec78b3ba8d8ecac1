// plugins/math_ops/extreme_ops.cc: Maximum and Minimum.
// SPDX-License-Identifier: Apache-2.0
#include "binary.h"
#include "extremes.h"

namespace math_ops {
namespace {

// Where x and y are equal, x gets the gradient.
#define EXTREME_GRADIENT(comparison)                 \
  "feeds:\n"                                         \
  "  zero: {value: 0, dtype: {attr: T}}\n"           \
  "nodes:\n"                                         \
  "  is_x: {op: " comparison                         \
  ", in: [x, y]}\n"                                  \
  "  gx: {op: SelectV2, in: [is_x, grad.z, zero]}\n" \
  "  gy: {op: SelectV2, in: [is_x, zero, grad.z]}\n" SUM_BACK("gx", "gy")

#define EXTREME_DOC(which)                                                                      \
  "Gives the " which                                                                            \
  " of x and y for each element, with broadcasting.\n\nThe result is NaN if x or y is NaN.\n\n" \
  "x: Numbers of any shape.\ny: Numbers of a shape that can be broadcast with x's.\nz: The " which " numbers.\n"

REGISTER_ARITHMETIC_OP("Maximum", MATH_OPS_REAL_NUMBERS, LargerOf)
    .SetIsCommutative()
    .Gradient(EXTREME_GRADIENT("GreaterEqual"))
    .Doc(EXTREME_DOC("larger"));
REGISTER_ARITHMETIC_OP("Minimum", MATH_OPS_REAL_NUMBERS, SmallerOf)
    .SetIsCommutative()
    .Gradient(EXTREME_GRADIENT("LessEqual"))
    .Doc(EXTREME_DOC("smaller"));

REGISTER_BINARY_KERNEL("Maximum", Larger, RealNumbers)
REGISTER_BINARY_KERNEL("Minimum", Smaller, RealNumbers)

}  // namespace
}  // namespace math_ops
