// plugins/math_ops/bias.cc: see bias.h.
// SPDX-License-Identifier: Apache-2.0
#include "bias.h"

namespace math_ops {

using namespace opsrun;

Status CheckHasChannels(const TensorShape& shape, const char* input) {
  if (shape.dims() >= 2) return Status::OK();
  return errors::InvalidArgument(input, " must have at least two dimensions, but its shape is ", shape.DebugString())
      .Blame(std::string("input:") + input);
}

Status BroadcastBias(const TensorShape& value, const TensorShape& bias, Channels channels, Broadcast* broadcast) {
  TF_RETURN_IF_ERROR(CheckHasChannels(value, "value"));
  const int dim = channels.DimOf(value.dims());
  if (bias.dims() != 1 || bias.dim_size(0) != value.dim_size(dim)) {
    return errors::InvalidArgument("bias must be a vector of ", value.dim_size(dim),
                                   " numbers, one for each element of ", "dimension ", dim,
                                   " of value, but its shape is ", bias.DebugString())
        .Blame("input:bias");
  }
  int64 inner = 1;
  for (int i = dim + 1; i < value.dims(); ++i) inner *= value.dim_size(i);
  TensorShape outer = value;
  outer.RemoveLastDims(value.dims() - dim);
  const int64 count = bias.dim_size(0);
  return broadcast->Make({TensorShape({outer.num_elements(), count, inner}), TensorShape({count, 1})});
}

Status FindSummedDims(const TensorShape& out_backprop, Channels channels, bool* summed) {
  TF_RETURN_IF_ERROR(CheckHasChannels(out_backprop, "out_backprop"));
  for (int i = 0; i < out_backprop.dims(); ++i) summed[i] = i != channels.DimOf(out_backprop.dims());
  return Status::OK();
}

}  // namespace math_ops
