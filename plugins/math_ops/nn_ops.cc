// plugins/math_ops/nn_ops.cc: layers of neural networks: BiasAdd, Relu, Softmax and LogSoftmax.
// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "any_device.h"
#include "bias.h"
#include "elementwise.h"
#include "fold_loops.h"
#include "folds.h"
#include "isa_kernels.h"
#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"

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

REGISTER_KERNEL_BUILDER(Name("BiasAdd").Device(DEVICE_CPU).Tiled().Rows("output", "value").InPlace("output", "value"),
                        BiasAddOp<BinaryOp<Add, Numbers>>)
REGISTER_KERNEL_BUILDER(Name("BiasAddV1").Device(DEVICE_CPU).Tiled().Rows("output", "value").InPlace("output", "value"),
                        BiasAddOp<BinaryOp<Add, Numbers>>)
REGISTER_KERNEL_BUILDER(Name("BiasAddGrad").Device(DEVICE_CPU), BiasAddGradOp<CpuReducer<SumFold, Numbers>>)

// Relu and its gradient.

REGISTER_OP("Relu")
    .Input("features: T")
    .Output("activations: T")
    .Attr("T: {" MATH_OPS_REAL_NUMBERS "}")
    .Broadcasts("()->()")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Gradient("nodes: {dfeatures: {op: ReluGrad, in: [grad.activations, features]}}\noutputs: {features: dfeatures}\n")
    .Doc(R"doc(
Sets negative elements to 0.

features: Numbers.
activations: The numbers, at least 0; NaN for NaN.
)doc");

REGISTER_OP("ReluGrad")
    .Input("gradients: T")
    .Input("features: T")
    .Output("backprops: T")
    .Attr("T: {" MATH_OPS_REAL_NUMBERS "}")
    .Batches("(),()->()")
    .SetShapeFn(shape_inference::MergeBothInputsShapeFn)
    .Gradient(R"yaml(
nodes:
  dgradients: {op: ReluGrad, in: [grad.backprops, features]}
  dfeatures: {op: ZerosLike, in: features}
outputs: {gradients: dgradients, features: dfeatures}
)yaml")
    .Doc(R"doc(
Computes the gradient of Relu: passes gradients on where features are larger than 0.

gradients: The gradient with respect to the output of Relu.
features: The input of Relu, or its output, of the same shape.
backprops: The gradients where features are larger than 0, otherwise 0.
)doc");

REGISTER_UNARY_KERNEL("Relu", Relu, RealNumbers)
REGISTER_KERNEL_BUILDER(Name("ReluGrad").Device(DEVICE_CPU).Elementwise().Tiled(),
                        OfGradients<BinaryOp<ReluGrad, RealNumbers>>)

// Softmax and LogSoftmax.

// out = the results of rows `begin` to `end` - 1.
template <bool kLog>
struct SoftmaxRows {
  template <typename T>
  static void Run(const void* in, int64 size, int64 begin, int64 end, void* out) {
    const auto softmax = (kLog ? Loops().log_softmax : Loops().softmax).template For<Wide<T>>();
    std::vector<Wide<T>> wide(kIsConverted<T> ? static_cast<size_t>(size) : 0);
    for (int64 i = begin * size; i < end * size; i += size) {
      const T* const from = static_cast<const T*>(in) + i;
      T* const to = static_cast<T*>(out) + i;
      if constexpr (kIsConverted<T>) {
        Convert(from, wide.data(), size);
        softmax(wide.data(), wide.data(), size);
        Convert(wide.data(), to, size);
      } else {
        softmax(from, to, size);
      }
    }
  }
};

template <bool kLog>
class SoftmaxOp : public OpKernel {
 public:
  explicit SoftmaxOp(OpKernelConstruction* context)
      : OpKernel(context), loop_(LoopFor<SoftmaxRows<kLog>>(context->input_type(0), Floats())) {}

  void Compute(OpKernelContext* context) override {
    const Tensor& logits = context->input(0);
    OP_REQUIRES(
        context, logits.dims() >= 1,
        errors::InvalidArgument("logits must have at least one dimension, but are a scalar").Blame("input:logits"));
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->forward_input_or_allocate_output({0}, 0, logits.shape(), &output));
    const int64 size = logits.dim_size(logits.dims() - 1);
    if (logits.NumElements() == 0) return;
    const void* const in = logits.data();
    void* const out = output->data();
    Shard(context, logits.NumElements() / size, size / 2 + 20,
          [&](int64 begin, int64 end) { loop_(in, size, begin, end, out); });
  }

 private:
  void (*const loop_)(const void* in, int64 size, int64 begin, int64 end, void* out);
};

Status SoftmaxShape(shape_inference::InferenceContext* c) {
  return shape_inference::UnchangedShapeWithRankAtLeast(c, 1);
}

#define REGISTER_SOFTMAX_OP(name, out)  \
  REGISTER_OP(name)                     \
      .Input("logits: T")               \
      .Output(out ": T")                \
      .Attr("T: {" MATH_OPS_FLOATS "}") \
      .Broadcasts("(n)->(n)")           \
      .SetShapeFn(SoftmaxShape)

REGISTER_SOFTMAX_OP("Softmax", "softmax")
    .Gradient(R"yaml(
feeds:
  last: {value: [-1], dtype: int32}
nodes:
  product: {op: Mul, in: [grad.softmax, softmax]}
  sum: {op: Sum, in: [product, last], attrs: {keep_dims: true}}
  difference: {op: Sub, in: [grad.softmax, sum]}
  dlogits: {op: Mul, in: [difference, softmax]}
outputs: {logits: dlogits}
)yaml")
    .Doc(R"doc(
Computes exp(x) / sum(exp(x)) along the last dimension, without overflow: what is positive and adds up to 1.

float16 and bfloat16 are computed as float32 and rounded once.

logits: At least one dimension.
softmax: The results, in the shape of the logits.
)doc");

REGISTER_SOFTMAX_OP("LogSoftmax", "logsoftmax")
    .Gradient(R"yaml(
feeds:
  last: {value: [-1], dtype: int32}
nodes:
  softmax: {op: Exp, in: logsoftmax}
  sum: {op: Sum, in: [grad.logsoftmax, last], attrs: {keep_dims: true}}
  product: {op: Mul, in: [softmax, sum]}
  dlogits: {op: Sub, in: [grad.logsoftmax, product]}
outputs: {logits: dlogits}
)yaml")
    .Doc(R"doc(
Computes log(softmax(x)) = x - log(sum(exp(x))) along the last dimension, without overflow.

float16 and bfloat16 are computed as float32 and rounded once.

logits: At least one dimension.
logsoftmax: The results, in the shape of the logits.
)doc");

REGISTER_KERNEL_BUILDER(Name("Softmax").Device(DEVICE_CPU), SoftmaxOp<false>)
REGISTER_KERNEL_BUILDER(Name("LogSoftmax").Device(DEVICE_CPU), SoftmaxOp<true>)

}  // namespace

}  // namespace math_ops
