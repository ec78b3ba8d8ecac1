// plugins/math_ops/relu.cc: Relu and its gradient.
// SPDX-License-Identifier: Apache-2.0
#include "binary.h"
#include "shape_rules.h"
#include "unary.h"

namespace math_ops {
namespace {

REGISTER_OP("Relu")
    .Input("features: T")
    .Output("activations: T")
    .Attr("T: {" MATH_OPS_REAL_NUMBERS "}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Gradient("nodes: {dfeatures: {op: ReluGrad, in: [grad.activations, features]}}\noutputs: {features: dfeatures}\n")
    .Doc(R"doc(
Sets negative elements to 0.

features: Numbers.
activations: The numbers, at least 0; NaN for NaN.
)doc");

REGISTER_OP("ReluGrad")
    .Input("gradients: T")
    .Input("features: T")
    .Output("backprops: T")
    .Attr("T: {" MATH_OPS_REAL_NUMBERS "}")
    .SetShapeFn(shape_inference::MergeBothInputsShapeFn)
    .Gradient(R"yaml(
nodes:
  dgradients: {op: ReluGrad, in: [grad.backprops, features]}
  dfeatures: {op: ZerosLike, in: features}
outputs: {gradients: dgradients, features: dfeatures}
)yaml")
    .Doc(R"doc(
Computes the gradient of Relu: passes gradients on where features are larger than 0.

gradients: The gradient with respect to the output of Relu.
features: The input of Relu, or its output, of the same shape.
backprops: The gradients where features are larger than 0, otherwise 0.
)doc");

REGISTER_UNARY_KERNEL("Relu", Relu, RealNumbers)
REGISTER_KERNEL_BUILDER(Name("ReluGrad").Device(DEVICE_CPU), OfGradients<BinaryOp<ReluGrad, RealNumbers>>)

}  // namespace

}  // namespace math_ops
