// plugins/array_ops/size_ops.cc: Size and Rank, what is known of a tensor without its elements.
// SPDX-License-Identifier: Apache-2.0
#include "size_ops.h"

#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"

namespace array_ops {
namespace {

using namespace opsrun;

REGISTER_OP("Size")
    .Input("input: T")
    .Output("output: out_type")
    .Attr("T: type")
    .Attr("out_type: {int32, int64} = DT_INT32")
    .SetShapeFn(shape_inference::ScalarShape)
    .NotDifferentiable()
    .Doc(R"doc(
Counts the elements of a tensor.

input: Any tensor.
output: A scalar: how many elements the tensor has.
)doc");

REGISTER_OP("Rank")
    .Input("input: T")
    .Output("output: int32")
    .Attr("T: type")
    .SetShapeFn(shape_inference::ScalarShape)
    .NotDifferentiable()
    .Doc(R"doc(
Counts the dimensions of a tensor.

input: Any tensor.
output: A scalar: how many dimensions the tensor has; 0 for a scalar.
)doc");

REGISTER_KERNEL_BUILDER(Name("Size").Device(DEVICE_CPU).TypeConstraint<int32>("out_type"), SizeOp<int32>);
REGISTER_KERNEL_BUILDER(Name("Size").Device(DEVICE_CPU).TypeConstraint<int64>("out_type"), SizeOp<int64>);
REGISTER_KERNEL_BUILDER(Name("Rank").Device(DEVICE_CPU), RankOp);

}  // namespace
}  // namespace array_ops
