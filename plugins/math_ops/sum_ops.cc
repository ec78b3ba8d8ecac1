// plugins/math_ops/sum_ops.cc: Sum, Mean, SumToShape, EuclideanNorm and L2Loss.
// SPDX-License-Identifier: Apache-2.0
#include "reduce.h"

namespace math_ops {

using namespace shape_inference;

namespace {

Status CannotBroadcast(const std::string& shape, const std::string& input) {
  return errors::InvalidArgument("the shape ", shape, " cannot be broadcast to the input's shape ", input)
      .Blame("input:shape");
}

// Whether `shape` could be broadcast to `input`, as far as they are known.
bool MayBroadcast(InferenceContext* c, ShapeHandle shape, ShapeHandle input) {
  if (!c->RankKnown(shape) || !c->RankKnown(input)) return true;
  if (c->Rank(shape) > c->Rank(input)) return false;
  for (int i = 1; i <= c->Rank(shape); ++i) {
    const int64 want = c->Value(c->Dim(shape, -i)), have = c->Value(c->Dim(input, -i));
    if (want >= 0 && have >= 0 && want != have && want != 1) return false;
  }
  return true;
}

}  // namespace

Status ReadShape(const Tensor& sizes, TensorShape* shape) {
  if (sizes.dims() != 1) {
    return errors::InvalidArgument("a shape is a vector, but this is a tensor of rank ", sizes.dims())
        .Blame("input:shape");
  }
  std::vector<int64> read;
  for (int64 i = 0; i < sizes.NumElements(); ++i) {
    read.push_back(sizes.dtype() == DT_INT32 ? sizes.flat<int32>()(i) : sizes.flat<int64>()(i));
  }
  return TensorShapeUtils::MakeShape(read, shape).Blame("input:shape");
}

Status FindSummedDims(const TensorShape& input, const TensorShape& shape, bool* summed) {
  const int added = input.dims() - shape.dims();
  for (int i = 0; i < input.dims() && added >= 0; ++i) {
    const int64 size = i < added ? 1 : shape.dim_size(i - added);
    summed[i] = i < added || size != input.dim_size(i);
    if (summed[i] && size != 1) return CannotBroadcast(shape.DebugString(), input.DebugString());
  }
  return added >= 0 ? Status::OK() : CannotBroadcast(shape.DebugString(), input.DebugString());
}

namespace {

Status SumToShapeShapeFn(InferenceContext* c) {
  ShapeHandle shape;
  TF_RETURN_IF_ERROR(c->MakeShapeFromShapeTensor(1, &shape));
  if (!MayBroadcast(c, shape, c->input(0))) {
    return CannotBroadcast(c->DebugString(shape), c->DebugString(c->input(0)));
  }
  c->set_output(0, shape);
  return Status::OK();
}

REGISTER_FOLD("Sum", MATH_OPS_NUMBERS, 0, SumOf)
    .Gradient(REDUCED_SHAPES R"yaml(
  g: {op: Reshape, in: [grad.output, kept]}
  dinput: {op: BroadcastTo, in: [g, shape]}
outputs: {input: dinput, reduction_indices: null}
)yaml")
    .Doc(R"doc(
Adds the elements along some dimensions.

Integers wrap on overflow. Floats are added in pairs, the sums of pairs again in pairs and so on, which keeps rounding
errors small; float16 and bfloat16 are added as float32 and rounded once. The sum of no elements is 0.

)doc" REDUCTION_DOC("Numbers.", "The sums."));

// The number of elements per mean is the input's number of elements divided by the output's.
REGISTER_REDUCTION("Mean", MATH_OPS_NUMBERS)
    .Gradient(R"yaml(
feeds:
  one: {value: 1, dtype: int32}
)yaml" REDUCED_SHAPES R"yaml(
  elements: {op: Size, in: input}
  means: {op: Size, in: output}
  some: {op: Maximum, in: [means, one]}
  int_count: {op: Div, in: [elements, some]}
  count: {op: Cast, in: int_count, attrs: {DstT: {attr: T}}}
  g: {op: Reshape, in: [grad.output, kept]}
  spread: {op: BroadcastTo, in: [g, shape]}
  dinput: {op: RealDiv, in: [spread, count]}
outputs: {input: dinput, reduction_indices: null}
)yaml")
    .Doc(R"doc(
Computes the means of the elements along some dimensions.

Means of integers drop the fraction. float16 and bfloat16 are computed as float32 and rounded once. The mean of no
elements is NaN, and an error for integers.

)doc" REDUCTION_DOC("Numbers.", "The means."));

REGISTER_OP("SumToShape")
    .Input("input: T")
    .Input("shape: Tshape")
    .Output("output: T")
    .Attr("T: {" MATH_OPS_NUMBERS "}")
    .Attr("Tshape: {int32, int64} = DT_INT32")
    .SetShapeFn(SumToShapeShapeFn)
    .Gradient(R"yaml(
nodes:
  shape_of_input: {op: Shape, in: input}
  dinput: {op: BroadcastTo, in: [grad.output, shape_of_input]}
outputs: {input: dinput, shape: null}
)yaml")
    .Doc(R"doc(
Adds the elements that broadcasting would make from one: the way back from BroadcastTo.

The sums are over the dimensions that the input has and the shape does not, and over those where the shape has 1.

input: Numbers, in a shape that `shape` can be broadcast to.
shape: The sizes of the output.
output: The sums; the input, if it has that shape.
)doc");

REGISTER_KERNEL_BUILDER(Name("Sum").Device(DEVICE_CPU), ReduceOp<CpuReducer<SumFold, Numbers>>)
REGISTER_KERNEL_BUILDER(Name("Mean").Device(DEVICE_CPU), MeanOp<CpuReducer<MeanFold, Numbers>>)
REGISTER_KERNEL_BUILDER(Name("SumToShape").Device(DEVICE_CPU), SumToShapeOp<CpuReducer<SumFold, Numbers>>)

// EuclideanNorm and L2Loss.

#define ADDED_AS_DOUBLE                                                                                              \
  "The squares of floats are added as float64, in pairs, the sums of pairs again in pairs and so on; the result is " \
  "rounded once."

// The norm is real, so only the real part of its gradient counts, half of the sum with its conjugate. For zeros, the
// gradient is NaN, unless the incoming gradient is 0; then it is 0.
REGISTER_REDUCTION("EuclideanNorm", MATH_OPS_NUMBERS)
    .Gradient(R"yaml(
feeds:
  zero: {value: 0, dtype: {attr: T}}
  one: {value: 1, dtype: {attr: T}}
)yaml" REDUCED_SHAPES R"yaml(
  norm: {op: Reshape, in: [output, kept]}
  g: {op: Reshape, in: [grad.output, kept]}
  conj_g: {op: Conj, in: g}
  twice_g: {op: Add, in: [g, conj_g]}
  is_zero: {op: Equal, in: [twice_g, zero]}
  finite: {op: SelectV2, in: [is_zero, one, norm]}
  twice_norm: {op: Add, in: [finite, finite]}
  factor: {op: RealDiv, in: [twice_g, twice_norm]}
  dinput: {op: Mul, in: [input, factor]}
outputs: {input: dinput, reduction_indices: null}
)yaml")
    .Doc("Computes the square root of the sum of the squares of the elements along some dimensions.\n\n" ADDED_AS_DOUBLE
         " Norms of integers drop the fraction, and wrap if they do not fit. The norm of no elements is "
         "0.\n\n" REDUCTION_DOC_WITH("Numbers.", "each element gives its absolute value.",
                                     "The norms. Those of complex numbers have no imaginary part."));

REGISTER_OP("L2Loss")
    .Input("t: T")
    .Output("output: T")
    .Attr("T: {" MATH_OPS_FLOATS "}")
    .SetShapeFn(ScalarShape)
    .Gradient("nodes: {dt: {op: Mul, in: [t, grad.output]}}\noutputs: {t: dt}\n")
    .Doc("Computes half the sum of the squares of all elements.\n\n" ADDED_AS_DOUBLE
         "\n\nt: Numbers of any shape.\noutput: The loss, a scalar. It is 0 if t has no elements.\n");

REGISTER_KERNEL_BUILDER(Name("EuclideanNorm").Device(DEVICE_CPU), ReduceOp<CpuReducer<NormFold, Numbers>>)
REGISTER_KERNEL_BUILDER(Name("L2Loss").Device(DEVICE_CPU), L2LossOp<CpuReducer<HalfSquaresFold, Floats>>)

}  // namespace
}  // namespace math_ops
