// SPDX-License-Identifier: Apache-2.0
#include "padded_output.h"

#include "moved.h"
#include "paddings.h"

namespace pad {

using namespace opsrun;

Status CheckShapes(OpKernelContext* context) {
  const int rank = context->input(kInput).dims();
  if (rank > kMaxRank) {
    return errors::Unimplemented("input may have at most ", kMaxRank, " dimensions, but has ", rank)
        .Blame("input:input");
  }
  return CheckPaddingsShape(context->input(kPaddings).shape(), rank);
}

void ReadAxes(OpKernelContext* context, Axis* axes) {
  const Tensor& input = context->input(kInput);
  for (int i = 0; i < input.dims(); ++i) axes[i].size = input.dim_size(i);
  ReadPaddings(context->input(kPaddings), input.dims(), axes);
}

Status MakeOutput(OpKernelContext* context, const Axis* axes, Tensor** output, bool* done) {
  const Tensor& input = context->input(kInput);
  TensorShape shape;
  TF_RETURN_IF_ERROR(PaddedShape(axes, input.dims(), ElementBytes(input.dtype()), &shape));
  *done = shape.num_elements() == 0;
  if (shape.num_elements() != input.NumElements()) return context->allocate_output(0, shape, output);
  int forwarded = -1;
  TF_RETURN_IF_ERROR(context->forward_input_or_allocate_output({kInput}, 0, shape, output, &forwarded));
  *done |= forwarded == kInput;
  return Status::OK();
}

}  // namespace pad
