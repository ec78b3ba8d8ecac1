// plugins/string_to_number/number_to_string_op.cc: NumberToString, the way back.
// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cmath>
#include <type_traits>

#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"
#include "opsrun/register_types.h"
#include "ranges.h"

namespace string_to_number {
namespace {

using namespace opsrun;

template <typename T>
std::string_view Spell(T number, char (&room)[32]) {
  // The sign of a NaN says nothing.
  if constexpr (std::is_floating_point_v<T>) number = std::isnan(number) ? std::fabs(number) : number;
  const std::to_chars_result written = std::to_chars(room, room + sizeof(room), number);
  return {room, static_cast<size_t>(written.ptr - room)};
}
std::string_view Spell(bool flag, char (&)[32]) {
  return flag ? "true" : "false";
}

// [kernel]
template <typename T>
class NumberToStringOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    const Tensor& numbers = context->input(0);
    Tensor* strings = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, numbers.shape(), &strings));
    const auto in = numbers.flat<T>();
    auto out = strings->flat<tstring>();
    ForRanges(context, in.size(), [&](int64 begin, int64 end) {
      char room[32];
      for (int64 i = begin; i < end; ++i) out(i) = Spell(in(i), room);
    });
  }
};
// [/kernel]

REGISTER_OP("NumberToString")
    .Input("input: T")
    .Output("output: string")
    .Attr("T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64, float, double, bool}")
    .SetShapeFn(shape_inference::UnchangedShape)
    .NotDifferentiable()
    .Doc(R"doc(
Writes numbers as strings.

Floats get as few digits as tell them from their neighbors, so that StringToNumber reads the same value again.

input: Numbers or bools, in any shape.
output: Their decimal digits, or true and false, in the same shape.
)doc");

#define REGISTER_NUMBER_TO_STRING(T) \
  REGISTER_KERNEL_BUILDER(Name("NumberToString").Device(DEVICE_CPU).TypeConstraint<T>("T"), NumberToStringOp<T>);
TF_CALL_INTEGRAL_TYPES(REGISTER_NUMBER_TO_STRING)
TF_CALL_float(REGISTER_NUMBER_TO_STRING) TF_CALL_double(REGISTER_NUMBER_TO_STRING)
    TF_CALL_bool(REGISTER_NUMBER_TO_STRING)
#undef REGISTER_NUMBER_TO_STRING

}  // namespace
}  // namespace string_to_number
