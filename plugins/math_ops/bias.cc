// plugins/math_ops/bias.cc
// SPDX-License-Identifier: Apache-2.0
#include "bias.h"

#include "binary.h"

namespace math_ops {

Status BroadcastBias(const TensorShape& value, const TensorShape& bias, Channels channels, Broadcast* broadcast) {
  TF_RETURN_IF_ERROR(CheckRankAtLeast(value, "value", 2));
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

// BiasAdd, and its gradient BiasAddGrad.

namespace {

using namespace shape_inference;

// The shape of input 0, and the dimension of its channels.
Status FindChannels(InferenceContext* c, ShapeHandle* input, int* position) {
  Channels channels;
  TF_RETURN_IF_ERROR(channels.Read(c));
  *position = channels.position();
  return c->WithRankAtLeast(c->input(0), 2, input);
}

Status BiasAddShape(InferenceContext* c) {
  ShapeHandle value, bias;
  int position = 0;
  TF_RETURN_IF_ERROR(FindChannels(c, &value, &position));
  TF_RETURN_IF_ERROR(c->WithRank(c->input(1), 1, &bias));
  DimensionHandle count;
  TF_RETURN_IF_ERROR(c->Merge(c->Dim(value, position), c->Dim(bias, 0), &count));
  TF_RETURN_IF_ERROR(c->ReplaceDim(value, position, count, &value));
  c->set_output(0, value);
  return Status::OK();
}

Status BiasAddGradShape(InferenceContext* c) {
  ShapeHandle out_backprop;
  int position = 0;
  TF_RETURN_IF_ERROR(FindChannels(c, &out_backprop, &position));
  c->set_output(0, c->Vector(c->Dim(out_backprop, position)));
  return Status::OK();
}

#define DATA_FORMAT_ATTR "data_format: {'NHWC', 'NCHW'} = 'NHWC'"
#define CHANNELS_DOC                                                                                                 \
  "data_format: Where the channels are: NHWC, in the last dimension, or NCHW, in dimension 1. There may be more or " \
  "fewer dimensions than these letters.\n"

#define BIAS_ADD_DOC                                                                                              \
  "Integers wrap on overflow. float16 and bfloat16 are computed as float32 and rounded once.\n\nvalue: Numbers, " \
  "with at least two dimensions.\nbias: A number for each channel.\noutput: The sums, in the shape of value.\n"

#define REGISTER_BIAS_ADD(name)          \
  REGISTER_OP(name)                      \
      .Attr("T: {" MATH_OPS_NUMBERS "}") \
      .Input("value: T")                 \
      .Input("bias: T")                  \
      .Output("output: T")               \
      .SetShapeFn(BiasAddShape)

REGISTER_BIAS_ADD("BiasAdd")
    .Attr(DATA_FORMAT_ATTR)
    .Gradient(
        "nodes: {dbias: {op: BiasAddGrad, in: grad.output, attrs: {data_format: {attr: data_format}}}}\n"
        "outputs: {value: grad.output, bias: dbias}\n")
    .Doc("Adds a bias, one number for each channel, to a tensor.\n\n" BIAS_ADD_DOC CHANNELS_DOC);

REGISTER_BIAS_ADD("BiasAddV1")
    .Gradient("nodes: {dbias: {op: BiasAddGrad, in: grad.output}}\noutputs: {value: grad.output, bias: dbias}\n")
    .Doc(
        "Adds a bias, one number for each element of the last dimension, to a tensor, as BiasAdd "
        "does.\n\n" BIAS_ADD_DOC);

REGISTER_OP("BiasAddGrad")
    .Attr("T: {" MATH_OPS_NUMBERS "}")
    .Input("out_backprop: T")
    .Attr(DATA_FORMAT_ATTR)
    .Output("output: T")
    .SetShapeFn(BiasAddGradShape)
    .Gradient(R"yaml(
nodes:
  zeros: {op: ZerosLike, in: out_backprop}
  dout_backprop: {op: BiasAdd, in: [zeros, grad.output], attrs: {data_format: {attr: data_format}}}
outputs: {out_backprop: dout_backprop}
)yaml")
    .Doc(
        "Adds up the elements of each channel: the gradient of the bias in BiasAdd.\n\n"
        "Integers wrap on overflow. Sums are computed as those of Sum.\n\n"
        "out_backprop: The gradient of BiasAdd's output, with at least two dimensions.\n"
        "output: The sums, a vector with a number for each channel.\n" CHANNELS_DOC);

REGISTER_KERNEL_BUILDER(Name("BiasAdd").Device(DEVICE_CPU), BiasAddOp<BinaryOp<Add, Numbers>>)
REGISTER_KERNEL_BUILDER(Name("BiasAddV1").Device(DEVICE_CPU), BiasAddOp<BinaryOp<Add, Numbers>>)
REGISTER_KERNEL_BUILDER(Name("BiasAddGrad").Device(DEVICE_CPU), BiasAddGradOp<CpuReducer<SumFold, Numbers>>)

}  // namespace
}  // namespace math_ops
