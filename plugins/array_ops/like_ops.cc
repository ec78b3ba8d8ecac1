// plugins/array_ops/like_ops.cc: ZerosLike and OnesLike.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "fill.h"
#include "opsrun/common_shape_fns.h"
#include "opsrun/float8.h"
#include "opsrun/op.h"
#include "opsrun/register_types.h"

namespace array_ops {
namespace {

using namespace opsrun;

class ZerosLikeOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->forward_input_or_allocate_output({0}, 0, context->input(0).shape(), &output));
    FillWithZeros(context, output);
  }
};

#define ONES_LIKE_CALL_TYPES(m)                                                                            \
  TF_CALL_POD_TYPES(m)                                                                                     \
  TF_CALL_float8_e5m2(m) TF_CALL_float8_e4m3fn(m) TF_CALL_float8_e4m3fnuz(m) TF_CALL_float8_e4m3b11fnuz(m) \
      TF_CALL_float8_e5m2fnuz(m)

// The bytes of the number 1 of a type.
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

class OnesLikeOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    const Bytes16 one = OneOf(context->input(0).dtype());
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->forward_input_or_allocate_output({0}, 0, context->input(0).shape(), &output));
    VisitElement(output->dtype(), [&](auto element) {
      using E = typename decltype(element)::type;
      if constexpr (!std::is_same_v<E, tstring>) {
        E value;
        std::memcpy(&value, &one, sizeof value);
        FillWith(context, value, output);
      }
    });
  }
};

REGISTER_OP("ZerosLike")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: type")
    .SetShapeFn(shape_inference::UnchangedShape)
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
    .SetShapeFn(shape_inference::UnchangedShape)
    .NotDifferentiable()
    .Doc(R"doc(
Makes a tensor of ones of the shape and the type of another tensor.

x: A tensor of numbers or bools.
y: Ones; true for bools.
)doc");

REGISTER_KERNEL_BUILDER(Name("ZerosLike").Device(DEVICE_CPU).TypeConstraint("T", kMovedWithFloat8), ZerosLikeOp);
#define REGISTER_ONES_LIKE(T) \
  REGISTER_KERNEL_BUILDER(Name("OnesLike").Device(DEVICE_CPU).TypeConstraint<T>("T"), OnesLikeOp);
ONES_LIKE_CALL_TYPES(REGISTER_ONES_LIKE)
#undef REGISTER_ONES_LIKE

}  // namespace
}  // namespace array_ops
