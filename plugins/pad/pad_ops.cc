// plugins/pad/pad_ops.cc: Pad and PadV2, a border of one value; MirrorPad, a mirrored border; MirrorPadGrad.
// SPDX-License-Identifier: Apache-2.0
#include "border_op.h"
#include "opsrun/op.h"
#include "opsrun/plugin.h"
#include "opsrun/register_types.h"

OPSRUN_PLUGIN("pad", "0.1.0");
OPSRUN_PLUGIN_META("Apache-2.0", "", "Borders around tensors");

namespace pad {
namespace {

// The element of the border, as elements are moved: for Pad, which has no constant, zero or an empty string.
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
Status Write(OpKernelContext* context, Border border, const Axis* axes, Tensor* output) {
  const Tensor& input = context->input(kInput);
  Moved moved(input, output);
  const BorderLayout layout = MakeLayout(axes, input.dims(), moved.size(), border);
  const Fill fill = MakeFill(context, moved);
  ForBlocks(context, layout.num_units, layout.unit_bytes,
            [&](int64 begin, int64 end) { WriteUnits(layout, fill, moved.from(), moved.to(), begin, end); });
  moved.Finish(context);
  return Status::OK();
}

#define REGISTER_BORDER_OP(name, types) \
  REGISTER_OP(name)                     \
      .Input("input: T")                \
      .Input("paddings: Tpaddings")     \
      .Output("output: T")              \
      .Attr("T: " types)                \
      .Attr("Tpaddings: {int32, int64} = DT_INT32")

// Of Pad and PadV2: the node 'dinput'.
#define GRADIENT_OF_INPUT                                                  \
  "feeds:\n"                                                               \
  "  first: {value: [0, 0], dtype: int32}\n"                               \
  "  column: {value: [-1, 1], dtype: int32}\n"                             \
  "  flat: {value: [-1], dtype: int32}\n"                                  \
  "nodes:\n"                                                               \
  "  before: {op: Slice, in: [paddings, first, column]}\n"                 \
  "  begin: {op: Reshape, in: [before, flat]}\n"                           \
  "  size: {op: Shape, in: input, attrs: {out_type: {attr: Tpaddings}}}\n" \
  "  dinput: {op: Slice, in: [grad.output, begin, size]}"

REGISTER_BORDER_OP("Pad", "type")
    .SetShapeFn(PadShape)
    .Gradient(GRADIENT_OF_INPUT R"yaml(
outputs: {input: dinput, paddings: null}
)yaml")
    .Doc(R"doc(
Puts a border of zeros around a tensor, of empty strings around strings.

Dimension i of the output has paddings[i, 0] + input.shape[i] + paddings[i, 1] elements.

input: A tensor of numbers, bools or strings, of at most 8 dimensions.
paddings: One row for each dimension of the input: how many elements of border stand before and after it.
output: The input with its border.
)doc");

REGISTER_BORDER_OP("PadV2", "type")
    .Input("constant_values: T")
    .SetShapeFn(PadShape)
    .Gradient(GRADIENT_OF_INPUT R"yaml(
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

REGISTER_BORDER_OP("MirrorPad", "type")
    .Attr("mode: {'REFLECT', 'SYMMETRIC'}")
    .SetShapeFn(MirrorPadShape)
    .Gradient(R"yaml(
nodes:
  dinput: {op: MirrorPadGrad, in: [grad.output, paddings], attrs: {mode: {attr: mode}}}
outputs: {input: dinput, paddings: null}
)yaml")
    .Doc(R"doc(
Puts a border around a tensor that shows the tensor as a mirror does.

With a border of 2, [1, 2, 3] becomes [3, 2, 1, 2, 3, 2, 1] for mode REFLECT and [2, 1, 1, 2, 3, 3, 2] for SYMMETRIC.
Dimension i of the output has paddings[i, 0] + input.shape[i] + paddings[i, 1] elements.

input: A tensor of numbers, bools or strings, of at most 8 dimensions.
paddings: One row for each dimension of the input: how many elements of border stand before and after it.
output: The input with its border.
mode: SYMMETRIC repeats the element at an edge, so that a border may be as large as its dimension; REFLECT shows one less.
)doc");

#define CPU_KERNEL(name, T) Name(name).Device(DEVICE_CPU).TypeConstraint<T>("T").HostMemory("paddings")
#define REGISTER_BORDERS(T)                                                                      \
  REGISTER_KERNEL_BUILDER(CPU_KERNEL("Pad", T), BorderOp<Write>)                                 \
  REGISTER_KERNEL_BUILDER(CPU_KERNEL("PadV2", T).HostMemory("constant_values"), BorderOp<Write>) \
  REGISTER_KERNEL_BUILDER(CPU_KERNEL("MirrorPad", T), BorderOp<Write>)
TF_CALL_POD_STRING_TYPES(REGISTER_BORDERS)
TF_CALL_QUANTIZED_TYPES(REGISTER_BORDERS)

struct FoldOnCpu {
  template <typename In, typename Out>
  static Status Run(OpKernelContext* context, const Axis& axis, Border border, int64 outer, int64 inner, const In* in,
                    Out* out) {
    ForBlocks(context, outer, axis.padded() * inner * int64{sizeof(In)},
              [&](int64 begin, int64 end) { FoldAxis(axis, border, inner, in, out, begin, end); });
    return Status::OK();
  }
};

REGISTER_BORDER_OP("MirrorPadGrad", "numbertype")
    .Attr("mode: {'REFLECT', 'SYMMETRIC'}")
    .SetShapeFn(MirrorPadGradShape)
    .Gradient(R"yaml(
nodes:
  dinput: {op: MirrorPad, in: [grad.output, paddings], attrs: {mode: {attr: mode}}}
outputs: {input: dinput, paddings: null}
)yaml")
    .Doc(R"doc(
Adds the border of a tensor to the elements that MirrorPad would have shown there: the gradient of MirrorPad.

Dimension i of the output has input.shape[i] - paddings[i, 0] - paddings[i, 1] elements.

input: A tensor of numbers, of at most 8 dimensions, with its border.
paddings: One row for each dimension of the input: how many elements of border stand before and after it.
output: The tensor without the border, to which the border is added. Integers wrap on overflow; float16 and bfloat16 are
    added as float32 and rounded once.
mode: As for MirrorPad.
)doc");

#define REGISTER_GRAD(T) REGISTER_KERNEL_BUILDER(CPU_KERNEL("MirrorPadGrad", T), MirrorPadGradOp<T, FoldOnCpu>)
TF_CALL_NUMBER_TYPES(REGISTER_GRAD)

}  // namespace
}  // namespace pad
