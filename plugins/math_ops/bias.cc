// plugins/math_ops/bias.cc
// SPDX-License-Identifier: Apache-2.0
#include "bias.h"

#include "binary.h"
#include "reduce.h"

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

using BiasAdd = BiasAddOp<BinaryOp<Add, Numbers>>;

class BiasAddGradOp : public OpKernel {
 public:
  explicit BiasAddGradOp(OpKernelConstruction* context)
      : OpKernel(context), loops_(FastestFold<SumFold, Numbers>(context->input_type(0))) {
    OP_REQUIRES_OK(context, channels_.Read(context));
  }

  void Compute(OpKernelContext* context) override {
    const Tensor& out_backprop = context->input(0);
    bool summed[OPSRUN_MAX_RANK];
    OP_REQUIRES_OK(context, FindSummedDims(out_backprop.shape(), channels_, summed));
    Tensor* output = nullptr;
    const TensorShape shape = {out_backprop.dim_size(channels_.DimOf(out_backprop.dims()))};
    OP_REQUIRES_OK(context, context->allocate_output(0, shape, &output));
    Reduce(context, out_backprop, summed, *loops_, output);
  }

 private:
  Channels channels_;
  const FoldLoops* const loops_;
};

#define DATA_FORMAT_ATTR "data_format: {'NHWC', 'NCHW'} = 'NHWC'"
#define CHANNELS_DOC                                                                                                 \
  "data_format: Where the channels are: NHWC, in the last dimension, or NCHW, in dimension 1. There may be more or " \
  "fewer dimensions than these letters.\n"

#define BIAS_ADD_DOC                                                                                              \
  "Integers wrap on overflow. float16 and bfloat16 are computed as float32 and rounded once.\n\nvalue: Numbers, " \
  "with at least two dimensions.\nbias: A number for each channel.\noutput: The sums, in the shape of value.\n"

REGISTER_OP("BiasAdd")
    .Attr("T: {" MATH_OPS_NUMBERS "}")
    .Input("value: T")
    .Input("bias: T")
    .Attr(DATA_FORMAT_ATTR)
    .Output("output: T")
    .SetShapeFn(BiasAddShape)
    .Gradient(R"yaml(
nodes:
  dbias: {op: BiasAddGrad, in: grad.output, attrs: {data_format: {attr: data_format}}}
outputs: {value: grad.output, bias: dbias}
)yaml")
    .Doc("Adds a bias, one number for each channel, to a tensor.\n\n" BIAS_ADD_DOC CHANNELS_DOC);

REGISTER_OP("BiasAddV1")
    .Attr("T: {" MATH_OPS_NUMBERS "}")
    .Input("value: T")
    .Input("bias: T")
    .Output("output: T")
    .SetShapeFn(BiasAddShape)
    .Gradient(R"yaml(
nodes:
  dbias: {op: BiasAddGrad, in: grad.output}
outputs: {value: grad.output, bias: dbias}
)yaml")
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

REGISTER_KERNEL_BUILDER(Name("BiasAdd").Device(DEVICE_CPU), BiasAdd)
REGISTER_KERNEL_BUILDER(Name("BiasAddV1").Device(DEVICE_CPU), BiasAdd)
REGISTER_KERNEL_BUILDER(Name("BiasAddGrad").Device(DEVICE_CPU), BiasAddGradOp)

}  // namespace

}  // namespace math_ops
