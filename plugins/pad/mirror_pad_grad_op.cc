// plugins/pad/mirror_pad_grad_op.cc: MirrorPadGrad, the gradient of MirrorPad.
// SPDX-License-Identifier: Apache-2.0
#include "mirror_pad_grad_op.h"

#include "blocks.h"
#include "mirror_sum.h"
#include "opsrun/op.h"
#include "opsrun/register_types.h"
#include "pad_shape.h"

namespace pad {
namespace {

using namespace opsrun;

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
