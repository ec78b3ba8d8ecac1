// plugins/array_ops/like_ops.cc: ZerosLike and OnesLike.
// SPDX-License-Identifier: Apache-2.0
#include "like_ops.h"

#include <cstring>

#include "opsrun/elements.h"
#include "opsrun/op.h"

namespace array_ops {
namespace {

using namespace opsrun;

template <int64_t kElement>
Status LikeShape(shape_inference::InferenceContext* c) {
  c->set_output(0, c->input(0));
  shape_inference::RepeatElement(c, kElement);
  return Status::OK();
}

REGISTER_OP("ZerosLike")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: type")
    .SetShapeFn(LikeShape<0>)
    .NotDifferentiable()
    .Doc(R"doc(
Makes a tensor of zeros of the shape and the type of another tensor.

x: Any tensor.
y: Zeros; false for bools, empty strings for strings.
)doc");

REGISTER_OP("OnesLike")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: type")
    .SetShapeFn(LikeShape<1>)
    .NotDifferentiable()
    .Doc(R"doc(
Makes a tensor of ones of the shape and the type of another tensor.

x: A tensor of numbers or bools.
y: Ones; true for bools.
)doc");

REGISTER_KERNEL_BUILDER(Name("ZerosLike").Device(DEVICE_CPU).TypeConstraint("T", kMoved), ZerosLikeOp<CpuMoves>);
#define REGISTER_ONES_LIKE(T) \
  REGISTER_KERNEL_BUILDER(Name("OnesLike").Device(DEVICE_CPU).TypeConstraint<T>("T"), OnesLikeOp<CpuMoves>);
ONES_LIKE_CALL_TYPES(REGISTER_ONES_LIKE)
#undef REGISTER_ONES_LIKE

}  // namespace

Bytes16 OneOf(DataType type) {
  Bytes16 bytes = {};
#define CASE(T)                            \
  if (type == DataTypeToEnum<T>::value) {  \
    const T one = static_cast<T>(1);       \
    std::memcpy(&bytes, &one, sizeof one); \
  }
  ONES_LIKE_CALL_TYPES(CASE)
#undef CASE
  return bytes;
}

}  // namespace array_ops
