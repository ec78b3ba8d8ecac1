// plugins/pad/pad_op.cc: Pad and PadV2, a border of one value.
// SPDX-License-Identifier: Apache-2.0
#include "blocks.h"
#include "moved.h"
#include "opsrun/op.h"
#include "opsrun/op_kernel.h"
#include "opsrun/plugin.h"
#include "opsrun/register_types.h"
#include "pad_kernel.h"
#include "pad_shape.h"
#include "padded_output.h"
#include "paddings.h"

OPSRUN_PLUGIN("pad", "0.1.0");

namespace pad {
namespace {

using namespace opsrun;

constexpr int kConstant = 2;

bool HasConstant(OpKernelContext* context) {
  return context->num_inputs() > kConstant;
}

Status CheckConstant(OpKernelContext* context) {
  if (!HasConstant(context) || context->input(kConstant).dims() == 0) return Status::OK();
  return errors::InvalidArgument("constant_values must be a scalar, but its shape is ",
                                 context->input(kConstant).shape().DebugString())
      .Blame("input:constant_values");
}

// One element of border as it is moved. Pad, which has no constant, fills with zeros or empty strings.
Fill MakeFill(OpKernelContext* context, const Moved& moved) {
  static constexpr char kZero[16] = {};
  static const tstring kEmpty;
  const auto size = static_cast<size_t>(moved.size());
  const Tensor* constant = HasConstant(context) ? &context->input(kConstant) : nullptr;
  if (context->input(kInput).dtype() != DT_STRING) return Fill(constant != nullptr ? constant->data() : kZero, size);
  const tstring* text = constant != nullptr ? &constant->scalar<tstring>()() : &kEmpty;
  return Fill(&text, size);
}

// One kernel for all types: it moves elements, or addresses of strings, and knows only their size.
class PadOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    const Tensor& input = context->input(kInput);
    Axis axes[kMaxRank];
    OP_REQUIRES_OK(context, CheckShapes(context));
    OP_REQUIRES_OK(context, CheckConstant(context));
    ReadAxes(context, axes);
    for (int i = 0; i < input.dims(); ++i) OP_REQUIRES_OK(context, CheckBorder(axes[i], i));

    Tensor* output = nullptr;
    bool done = false;
    OP_REQUIRES_OK(context, MakeOutput(context, axes, &output, &done));
    if (done) return;
    Moved moved(input, output);
    const int64 size = moved.size();
    const Layout layout = MakeLayout(axes, input.dims(), size);
    const Fill fill = MakeFill(context, moved);
    ForBlocks(context, layout.output_bytes / size, size, [&](int64 begin, int64 end) {
      PadBytes(layout, fill, moved.from(), moved.to(), begin * size, end * size);
    });
    moved.Finish(context);
  }
};

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
}  // namespace pad
