// plugins/pad/mirror_pad_op.cc: MirrorPad, which mirrors the tensor in its border, and MirrorPadGrad.
// SPDX-License-Identifier: Apache-2.0
#include "mirror_pad_op.h"

#include "opsrun/op.h"
#include "opsrun/register_types.h"

namespace pad {
namespace {

using namespace opsrun;

// Serves all types: moves elements, or addresses of strings, by their size.
Status Write(OpKernelContext* context, const MirroredBorder& border, const Axis* axes, Tensor* output) {
  const Tensor& input = context->input(kInput);
  Moved moved(input, output);
  const MirrorLayout layout = MakeMirrorLayout(axes, input.dims(), moved.size(), border.edge);
  ForBlocks(context, layout.num_units, layout.unit_bytes,
            [&](int64 begin, int64 end) { MirrorUnits(layout, moved.from(), moved.to(), begin, end); });
  moved.Finish(context);
  return Status::OK();
}

typedef BorderOp<MirroredBorder, Write> MirrorPadOp;

REGISTER_OP("MirrorPad")
    .Input("input: T")
    .Input("paddings: Tpaddings")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tpaddings: {int32, int64} = DT_INT32")
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

#define REGISTER_MIRROR_PAD(T)                                                                                \
  REGISTER_KERNEL_BUILDER(Name("MirrorPad").Device(DEVICE_CPU).TypeConstraint<T>("T").HostMemory("paddings"), \
                          MirrorPadOp);
TF_CALL_POD_STRING_TYPES(REGISTER_MIRROR_PAD)
TF_CALL_QUANTIZED_TYPES(REGISTER_MIRROR_PAD)
#undef REGISTER_MIRROR_PAD

// MirrorPadGrad.

struct FoldOnCpu {
  template <typename In, typename Out>
  static Status Run(OpKernelContext* context, const Axis& axis, Edge edge, int64 outer, int64 inner, const In* in,
                    Out* out) {
    ForBlocks(context, outer, axis.padded() * inner * int64{sizeof(In)},
              [&](int64 begin, int64 end) { FoldAxis(axis, edge, inner, in, out, begin, end); });
    return Status::OK();
  }
};

REGISTER_OP("MirrorPadGrad")
    .Input("input: T")
    .Input("paddings: Tpaddings")
    .Output("output: T")
    .Attr("T: numbertype")
    .Attr("Tpaddings: {int32, int64} = DT_INT32")
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

#define REGISTER_GRAD(T)                                                                                          \
  REGISTER_KERNEL_BUILDER(Name("MirrorPadGrad").Device(DEVICE_CPU).TypeConstraint<T>("T").HostMemory("paddings"), \
                          MirrorPadGradOp<T, FoldOnCpu>);
TF_CALL_NUMBER_TYPES(REGISTER_GRAD)
#undef REGISTER_GRAD

}  // namespace

Status TakeBorderOff(Axis* axis, int i, Edge edge) {
  const int64 padded = axis->size;
  TF_RETURN_IF_ERROR(CheckBorder(*axis, i));
  if (axis->before > padded || axis->after > padded - axis->before) {
    return BadPaddings("dimension ", i, " of input has size ", padded, ", but row ", i, " of paddings is [",
                       axis->before, ", ", axis->after, "]");
  }
  axis->size = padded - axis->before - axis->after;
  return CheckMirror(*axis, i, edge);
}

}  // namespace pad
