// plugins/pad/pad_op.cc: Pad and PadV2, a border of one value.
// SPDX-License-Identifier: Apache-2.0
#include "border_op.h"
#include "opsrun/check_shapes.h"
#include "opsrun/op.h"
#include "opsrun/plugin.h"
#include "opsrun/register_types.h"
#include "pad_kernel.h"

OPSRUN_PLUGIN("pad", "0.1.0");

namespace pad {
namespace {

using namespace opsrun;

// The element of the border, in the form in which elements are moved. Pad, which has no constant, fills with zeros or
// empty strings.
Fill MakeFill(OpKernelContext* context, const Moved& moved) {
  static constexpr char kZero[16] = {};
  static const tstring kEmpty;
  const auto size = static_cast<size_t>(moved.size());
  const Tensor* const constant = ConstantOf(context);
  if (context->input(kInput).dtype() != DT_STRING) return Fill(constant != nullptr ? constant->data() : kZero, size);
  const tstring* text = constant != nullptr ? &constant->scalar<tstring>()() : &kEmpty;
  return Fill(&text, size);
}

// Serves all types: moves elements, or addresses of strings, by their size.
Status Write(OpKernelContext* context, const ConstantBorder&, const Axis* axes, Tensor* output) {
  const Tensor& input = context->input(kInput);
  Moved moved(input, output);
  const int64 size = moved.size();
  const Layout layout = MakeLayout(axes, input.dims(), size);
  const Fill fill = MakeFill(context, moved);
  ForBlocks(context, layout.output_bytes / size, size, [&](int64 begin, int64 end) {
    PadBytes(layout, fill, moved.from(), moved.to(), begin * size, end * size);
  });
  moved.Finish(context);
  return Status::OK();
}

typedef BorderOp<ConstantBorder, Write> PadOp;

REGISTER_OP("Pad")
    .Input("input: T")
    .Input("paddings: Tpaddings")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tpaddings: {int32, int64} = DT_INT32")
    .SetShapeFn(PadShape)
    .Gradient(R"yaml(
feeds:
  first: {value: [0, 0], dtype: int32}
  column: {value: [-1, 1], dtype: int32}
  flat: {value: [-1], dtype: int32}
nodes:
  before: {op: Slice, in: [paddings, first, column]}
  begin: {op: Reshape, in: [before, flat]}
  size: {op: Shape, in: input, attrs: {out_type: {attr: Tpaddings}}}
  dinput: {op: Slice, in: [grad.output, begin, size]}
outputs: {input: dinput, paddings: null}
)yaml")
    .Doc(R"doc(
Puts a border of zeros around a tensor, of empty strings around strings.

Dimension i of the output has paddings[i, 0] + input.shape[i] + paddings[i, 1] elements.

input: A tensor of numbers, bools or strings, of at most 8 dimensions.
paddings: One row for each dimension of the input: how many elements of border stand before and after it.
output: The input with its border.
)doc");

REGISTER_OP("PadV2")
    .Input("input: T")
    .Input("paddings: Tpaddings")
    .Input("constant_values: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tpaddings: {int32, int64} = DT_INT32")
    .SetShapeFn(PadShape)
    .Gradient(R"yaml(
feeds:
  first: {value: [0, 0], dtype: int32}
  column: {value: [-1, 1], dtype: int32}
  flat: {value: [-1], dtype: int32}
nodes:
  before: {op: Slice, in: [paddings, first, column]}
  begin: {op: Reshape, in: [before, flat]}
  size: {op: Shape, in: input, attrs: {out_type: {attr: Tpaddings}}}
  dinput: {op: Slice, in: [grad.output, begin, size]}
  scalar: {op: Shape, in: constant_values}
  all: {op: SumToShape, in: [grad.output, scalar]}
  inside: {op: SumToShape, in: [dinput, scalar]}
  border: {op: Sub, in: [all, inside]}
outputs: {input: dinput, paddings: null, constant_values: border}
)yaml")
    .Doc(R"doc(
Puts a border of one value around a tensor.

Dimension i of the output has paddings[i, 0] + input.shape[i] + paddings[i, 1] elements.

input: A tensor of numbers, bools or strings, of at most 8 dimensions.
paddings: One row for each dimension of the input: how many elements of border stand before and after it.
constant_values: A scalar, the value of all elements of the border.
output: The input with its border.
)doc");

#define REGISTER_PAD(T)                                                                                             \
  REGISTER_KERNEL_BUILDER(Name("Pad").Device(DEVICE_CPU).TypeConstraint<T>("T").HostMemory("paddings"), PadOp);     \
  REGISTER_KERNEL_BUILDER(                                                                                          \
      Name("PadV2").Device(DEVICE_CPU).TypeConstraint<T>("T").HostMemory("paddings").HostMemory("constant_values"), \
      PadOp);
TF_CALL_POD_STRING_TYPES(REGISTER_PAD)
TF_CALL_QUANTIZED_TYPES(REGISTER_PAD)
#undef REGISTER_PAD

}  // namespace

Status ConstantBorder::Check(OpKernelContext* context) const {
  const Tensor* const constant = ConstantOf(context);
  return constant == nullptr ? Status::OK() : CheckScalar(constant->shape(), "constant_values");
}

}  // namespace pad
