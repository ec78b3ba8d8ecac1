// plugins/math_ops/rounding_ops.cc: Floor, Ceil and Round, IsNan, IsInf and IsFinite, and LogicalNot.
// SPDX-License-Identifier: Apache-2.0
#include "simple_functions.h"
#include "unary.h"

namespace math_ops {
namespace {

using namespace opsrun;

// Of bools, which are bytes of 0 or 1.
struct Not {
  uint8_t operator()(uint8_t x) const { return x ^ 1; }
};
class NotOp : public UnaryKernel {
 public:
  explicit NotOp(OpKernelConstruction* context) : UnaryKernel(context, &UnaryLoops<Not>::Run<uint8_t>, 100) {}
};

#define REGISTER_TEST_OP(name, doc)                             \
  REGISTER_OP(#name)                                            \
      .Input("x: T")                                            \
      .Output("y: bool")                                        \
      .Attr("T: {" MATH_OPS_FLOATS ", " MATH_OPS_COMPLEXES "}") \
      .SetShapeFn(shape_inference::UnchangedShape)              \
      .NotDifferentiable()                                      \
      .Doc(doc "\n\nx: Numbers.\ny: Whether it is so.\n");      \
  REGISTER_UNARY_KERNEL(#name, name, Join<Floats, Complexes>)
REGISTER_TEST_OP(IsNan, "Tests which elements are NaN. A complex number is if one of its parts is.")
REGISTER_TEST_OP(IsInf, "Tests which elements are infinite. A complex number is if one of its parts is.")
REGISTER_TEST_OP(IsFinite, "Tests which elements are neither infinite nor NaN. A complex number is if both parts are.")

REGISTER_UNARY_OP("Floor", MATH_OPS_FLOATS)
    .NotDifferentiable()
    .Doc("Rounds each element down to an integer.\n\nx: Numbers.\ny: The largest integers that are not larger.\n");
REGISTER_UNARY_OP("Ceil", MATH_OPS_FLOATS)
    .NotDifferentiable()
    .Doc("Rounds each element up to an integer.\n\nx: Numbers.\ny: The smallest integers that are not smaller.\n");
REGISTER_UNARY_OP("Round", MATH_OPS_FLOATS ", " MATH_OPS_SIGNED_INTS ", " MATH_OPS_COMPLEXES)
    .NotDifferentiable()
    .Doc(
        "Rounds each element to the nearest integer; halves to the nearest even one, so that 0.5 gives 0 and 1.5 "
        "gives 2.\n\nx: Numbers.\ny: The nearest integers. Of complex numbers, both parts are rounded.\n");
REGISTER_OP("LogicalNot")
    .Input("x: bool")
    .Output("y: bool")
    .SetShapeFn(shape_inference::UnchangedShape)
    .NotDifferentiable()
    .Doc("Computes not x for each element.\n\nx: Any shape.\ny: The opposites.\n");

typedef Join<Join<Floats, SignedInts>, Complexes> RoundTypes;
REGISTER_UNARY_KERNEL("Floor", Floor, Floats)
REGISTER_UNARY_KERNEL("Ceil", Ceil, Floats)
REGISTER_UNARY_KERNEL("Round", Round, RoundTypes)
REGISTER_KERNEL_BUILDER(Name("LogicalNot").Device(DEVICE_CPU), NotOp)

}  // namespace
}  // namespace math_ops
