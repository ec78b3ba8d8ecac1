// plugins/math_ops/atan2_op.cc: Atan2.
// SPDX-License-Identifier: Apache-2.0
#include "binary.h"
#include "transcendental_binary.h"

namespace math_ops {
namespace {

class Atan2Op : public BinaryKernel {
 public:
  explicit Atan2Op(opsrun::OpKernelConstruction* context)
      : BinaryKernel(context,
                     LoopFor<TranscendentalBinaryLoops<&TranscendentalLoops::atan2>>(context->input_type(0), Floats()),
                     nullptr, 4000) {}
};

// x / (x^2 + y^2) and -y / (x^2 + y^2) with the quotient of the smaller and the larger of x and y instead of squares,
// which would overflow or vanish: `length` is (x^2 + y^2) / larger. At (0, 0) it is NaN, since there is no derivative;
// where no gradient comes in, none goes out there, either.
REGISTER_OP("Atan2")
    .Input("y: T")
    .Input("x: T")
    .Output("z: T")
    .Attr("T: {" MATH_OPS_FLOATS "}")
    .SetShapeFn(opsrun::shape_inference::BroadcastBinaryOpShapeFn)
    .Gradient(R"yaml(
feeds:
  zero: {value: 0, dtype: {attr: T}}
  one: {value: 1, dtype: {attr: T}}
nodes:
  up: {op: Abs, in: y}
  along: {op: Abs, in: x}
  is_steep: {op: Greater, in: [up, along]}
  larger: {op: SelectV2, in: [is_steep, y, x]}
  smaller: {op: SelectV2, in: [is_steep, x, y]}
  any_ratio: {op: RealDiv, in: [smaller, larger]}
  is_zero: {op: Equal, in: [grad.z, zero]}
  ratio: {op: SelectV2, in: [is_zero, zero, any_ratio]}
  part: {op: Mul, in: [smaller, ratio]}
  any_length: {op: Add, in: [larger, part]}
  length: {op: SelectV2, in: [is_zero, one, any_length]}
  by_larger: {op: RealDiv, in: [grad.z, length]}
  by_smaller: {op: Mul, in: [by_larger, ratio]}
  gy: {op: SelectV2, in: [is_steep, by_smaller, by_larger]}
  minus_gx: {op: SelectV2, in: [is_steep, by_larger, by_smaller]}
  gx: {op: Neg, in: minus_gx}
)yaml" SUM_BACK("gx", "gy"))
    .Doc(R"doc(
Computes the angle of the point (x, y) for each element, with broadcasting: the arc tangent of y / x in its quadrant.

float16 and bfloat16 are computed as float32 and rounded once.

y: The second coordinates, of any shape.
x: The first coordinates, of a shape that can be broadcast with y's.
z: The angles in radians, from -pi to pi, with the sign of y. Signs of zeros count: of y = 0 and x = -0, it is pi.
)doc");

REGISTER_KERNEL_BUILDER(Name("Atan2").Device(opsrun::DEVICE_CPU), Atan2Op)

}  // namespace
}  // namespace math_ops
