// plugins/pad/mirror_pad_grad_op.cc: MirrorPadGrad, the gradient of MirrorPad.
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "blocks.h"
#include "mirror_mode.h"
#include "mirror_sum.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"
#include "opsrun/register_types.h"
#include "pad_shape.h"
#include "padded_output.h"
#include "paddings.h"

namespace pad {
namespace {

using namespace opsrun;

// The axis without the border that its size includes.
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

template <typename T>
class MirrorPadGradOp : public OpKernel {
 public:
  explicit MirrorPadGradOp(OpKernelConstruction* context) : OpKernel(context) {
    OP_REQUIRES_OK(context, GetEdge(context, &edge_));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(kInput);
    Axis axes[kMaxRank];
    OP_REQUIRES_OK(context, CheckShapes(context));
    ReadAxes(context, axes);
    TensorShape shape = input.shape();
    int last = -1;
    for (int i = 0; i < input.dims(); ++i) {
      OP_REQUIRES_OK(context, TakeBorderOff(&axes[i], i, edge_));
      shape.set_dim(i, axes[i].size);
      if (axes[i].HasBorder()) last = i;
    }
    if (last < 0) return context->set_output(0, input);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    if (output->NumElements() > 0) OP_REQUIRES_OK(context, Fold(context, axes, last, output));
  }

 private:
  // The first dimension with a border reads the input, the last one writes the output.
  Status Fold(OpKernelContext* context, const Axis* axes, int last, Tensor* output) const {
    Tensor folded = context->input(kInput);
    for (int i = 0; i <= last; ++i) {
      if (!axes[i].HasBorder()) continue;
      TensorShape shape = folded.shape();
      shape.set_dim(i, axes[i].size);
      Tensor next;
      if (i < last) TF_RETURN_IF_ERROR(context->allocate_temp(input_type(), shape, &next));
      FoldOne(context, axes[i], i, folded, i < last ? &next : output);
      if (i < last) folded = next;
    }
    return Status::OK();
  }

  static DataType input_type() { return DataTypeToEnum<T>::value; }

  void FoldOne(OpKernelContext* context, const Axis& axis, int i, const Tensor& from, Tensor* to) const {
    int64 outer = 1, inner = 1;
    for (int k = 0; k < i; ++k) outer *= from.dim_size(k);
    for (int k = i + 1; k < from.dims(); ++k) inner *= from.dim_size(k);
    const T* const in = from.flat<T>().data();
    T* const out = to->flat<T>().data();
    ForBlocks(context, outer, axis.padded() * inner * int64{sizeof(T)},
              [&](int64 begin, int64 end) { FoldAxis(axis, edge_, inner, in, out, begin, end); });
  }

  Edge edge_ = Edge::kRepeated;
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
output: The tensor without the border, to which the border is added.
mode: As for MirrorPad.
)doc");

#define REGISTER_GRAD(T)                                                                                          \
  REGISTER_KERNEL_BUILDER(Name("MirrorPadGrad").Device(DEVICE_CPU).TypeConstraint<T>("T").HostMemory("paddings"), \
                          MirrorPadGradOp<T>);
TF_CALL_NUMBER_TYPES(REGISTER_GRAD)
#undef REGISTER_GRAD

}  // namespace
}  // namespace pad
