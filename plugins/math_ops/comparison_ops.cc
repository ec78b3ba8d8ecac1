// plugins/math_ops/comparison_ops.cc: Equal, Less and the other comparisons, and ops on two bools.
// SPDX-License-Identifier: Apache-2.0
#include "any_device.h"
#include "elementwise.h"

namespace math_ops {
namespace {

using namespace shape_inference;

typedef Join<Join<Numbers, TypeList<bool>>, Quantized> EqualTypes;
#define EQUAL_TYPES MATH_OPS_NUMBERS ", bool, " MATH_OPS_QUANTIZED ", string"

// Incompatible shapes are an error or make the result a scalar, depending on the attr incompatible_shape_error.
Status EqualShape(InferenceContext* c) {
  bool is_error = true;
  TF_RETURN_IF_ERROR(c->GetAttr("incompatible_shape_error", &is_error));
  ShapeHandle shape;
  TF_RETURN_IF_ERROR(BroadcastBinaryOpOutputShapeFnHelper(c, c->input(0), c->input(1), is_error, &shape));
  c->set_output(0, shape);
  return Status::OK();
}

#define COMPARED_X_Y "x: Any shape.\ny: A shape that can be broadcast with x's.\n"
#define INCOMPATIBLE                                                                                             \
  "incompatible_shape_error: Whether shapes that cannot be broadcast together are an error. Otherwise, tensors " \
  "of such shapes are not equal, and the output is a scalar.\n"

#define REGISTER_EQUAL(name, Function, differs, sign, result)                                                        \
  REGISTER_OP(name)                                                                                                  \
      .Input("x: T")                                                                                                 \
      .Input("y: T")                                                                                                 \
      .Output("z: bool")                                                                                             \
      .Attr("T: {" EQUAL_TYPES "}")                                                                                  \
      .Attr("incompatible_shape_error: bool = true")                                                                 \
      .Broadcasts("(),()->()")                                                                                       \
      .SetIsCommutative()                                                                                            \
      .SetShapeFn(EqualShape)                                                                                        \
      .NotDifferentiable()                                                                                           \
      .Doc("Computes x " sign " y for each element, with broadcasting. NaN is not equal to itself.\n\n" COMPARED_X_Y \
           "z: Whether the elements " result ".\n" INCOMPATIBLE);                                                    \
  REGISTER_KERNEL_BUILDER(                                                                                           \
      Name(name).Device(DEVICE_CPU).Elementwise().Tiled().TypeConstraint("T", TypesOf<EqualTypes>::kAll),            \
      EqualOp<BinaryOp<Function, Numbers>, differs>)
REGISTER_EQUAL("Equal", Equal, false, "==", "are equal")
REGISTER_EQUAL("NotEqual", NotEqual, true, "!=", "differ")

#define REGISTER_COMPARISON(name, sign)                                                                                \
  REGISTER_BINARY_OP_TO(#name, MATH_OPS_REAL_NUMBERS, "bool")                                                          \
      .NotDifferentiable()                                                                                             \
      .Doc("Computes x " sign " y for each element, with broadcasting. It is false if x or y is NaN.\n\n" COMPARED_X_Y \
           "z: Whether x " sign " y.\n");                                                                              \
  REGISTER_BINARY_KERNEL(#name, name, RealNumbers)
REGISTER_COMPARISON(Less, "<")
REGISTER_COMPARISON(LessEqual, "<=")
REGISTER_COMPARISON(Greater, ">")
REGISTER_COMPARISON(GreaterEqual, ">=")

#define REGISTER_LOGICAL_OP(name, function, word)                                                             \
  REGISTER_OP(name)                                                                                           \
      .Input("x: bool")                                                                                       \
      .Input("y: bool")                                                                                       \
      .Output("z: bool")                                                                                      \
      .Broadcasts("(),()->()")                                                                                \
      .SetIsCommutative()                                                                                     \
      .SetShapeFn(BroadcastBinaryOpShapeFn)                                                                   \
      .NotDifferentiable()                                                                                    \
      .Doc("Computes x " word " y for each element, with broadcasting.\n\n" COMPARED_X_Y "z: Whether x " word \
           " y.\n");                                                                                          \
  REGISTER_BINARY_KERNEL(name, function, TypeList<uint8_t>, /*kPicoseconds=*/100)
REGISTER_LOGICAL_OP("LogicalAnd", And, "and")
REGISTER_LOGICAL_OP("LogicalOr", Or, "or")

}  // namespace
}  // namespace math_ops
