// plugins/math_ops/prod_ops.cc: Prod, and the ops that are its first and second derivatives.
// SPDX-License-Identifier: Apache-2.0
#include "prod_ops.h"

#include <vector>

namespace math_ops {

namespace {

// The offsets of all elements along the dimensions i with reduced[i] == of_reduced, at index 0 of the others. Requires:
// there are elements.
std::vector<int64> OffsetsAlong(const TensorShape& shape, const bool* reduced, bool of_reduced) {
  Dims dims;
  int64 stride = shape.num_elements();
  for (int i = 0; i < shape.dims(); ++i) {
    stride /= shape.dim_size(i);
    if (reduced[i] == of_reduced) dims.AddInside(shape.dim_size(i), stride);
  }
  std::vector<int64> offsets(static_cast<size_t>(dims.Count()));
  for (size_t i = 0; i < offsets.size(); ++i) offsets[i] = dims.OffsetOf(static_cast<int64>(i));
  return offsets;
}

// Each product is computed independently.
class ProdGradientOp : public WithProductLoop<ProdGradientKernel> {
 public:
  using WithProductLoop::WithProductLoop;

 protected:
  Status Run(OpKernelContext* context, const bool* reduced, Tensor* output) const override {
    const std::vector<int64> factors = OffsetsAlong(output->shape(), reduced, true);
    const std::vector<int64> products = OffsetsAlong(output->shape(), reduced, false);
    Shard(context, static_cast<int64>(products.size()), 10 * static_cast<int64>(factors.size()),
          [&](int64 begin, int64 end) {
            for (int64 i = begin; i < end; ++i) {
              loop()(context, factors.data(), factors.size(), products[static_cast<size_t>(i)], output);
            }
          });
    return Status::OK();
  }
};

REGISTER_FOLD("Prod", MATH_OPS_NUMBERS, 1, ProductOf)
    .Gradient(REDUCED_SHAPES R"yaml(
  g: {op: Reshape, in: [grad.output, kept]}
  slope: {op: ProdOfOthers, in: [input, reduction_indices]}
  conj_slope: {op: Conj, in: slope}
  dinput: {op: Mul, in: [g, conj_slope]}
outputs: {input: dinput, reduction_indices: null}
)yaml")
    .Doc(R"doc(
Multiplies the elements along some dimensions.

Integers wrap on overflow. float16 and bfloat16 are multiplied as float32 and rounded once. The product of no elements
is 1.

)doc" REDUCTION_DOC("Numbers.", "The products."));

REGISTER_OP("ProdOfOthers")
    .Input("input: T")
    .Input("reduction_indices: Tidx")
    .Output("output: T")
    .Attr("T: {" MATH_OPS_FLOATS_AND_COMPLEXES "}")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .SetShapeFn(shape_inference::UnchangedShape)
    .Gradient(R"yaml(
nodes:
  conj_input: {op: Conj, in: input}
  dinput: {op: ProdOfOthersGrad, in: [grad.output, conj_input, reduction_indices]}
outputs: {input: dinput, reduction_indices: null}
)yaml")
    .Doc(R"doc(
Computes, for each element, the product of all others along some dimensions: the derivative of Prod.

input: Numbers.
reduction_indices: The axes of Prod, a scalar or a vector. Negative ones count from the end.
output: The products, in the shape of the input.
)doc");

// The derivative by element p of the input is the same op on the input with p replaced by 1. These inputs, one for each
// p, are stacked along a new first dimension. Only third derivatives of products need so much memory.
REGISTER_OP("ProdOfOthersGrad")
    .Input("weights: T")
    .Input("input: T")
    .Input("reduction_indices: Tidx")
    .Output("output: T")
    .Attr("T: {" MATH_OPS_FLOATS_AND_COMPLEXES "}")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .SetShapeFn(shape_inference::MergeBothInputsShapeFn)
    .Gradient(R"yaml(
feeds:
  start: {value: 0, dtype: int32}
  step: {value: 1, dtype: int32}
  first: {value: [0], dtype: int32}
  to_vector: {value: [-1], dtype: int32}
  zero: {value: 0, dtype: {attr: T}}
  one: {value: 1, dtype: {attr: T}}
  axis_0: {value: 0, dtype: {attr: Tidx}}
  next_axis: {value: 1, dtype: {attr: Tidx}}
nodes:
  conj_input: {op: Conj, in: input}
  dweights: {op: ProdOfOthersGrad, in: [grad.output, conj_input, reduction_indices]}
  count: {op: Size, in: input}
  places: {op: Range, in: [start, count, step]}
  rows: {op: OneHot, in: [places, count, one, zero]}
  counts: {op: Reshape, in: [count, to_vector]}
  shape: {op: Shape, in: input}
  wide_shape: {op: ConcatV2, in: {values: [counts, shape], axis: start}}
  is_place: {op: Reshape, in: [rows, wide_shape]}
  is_other: {op: Sub, in: [one, is_place]}
  from_end: {op: Less, in: [reduction_indices, axis_0]}
  moved_axes: {op: Add, in: [reduction_indices, next_axis]}
  wide_axes: {op: SelectV2, in: [from_end, reduction_indices, moved_axes]}
  others: {op: Mul, in: [is_other, conj_input]}
  wide_input: {op: Add, in: [others, is_place]}
  wide_grad: {op: Mul, in: [is_other, grad.output]}
  products: {op: ProdOfOthersGrad, in: [wide_grad, wide_input, wide_axes]}
  of_others: {op: Mul, in: [products, is_other]}
  in_sum: {op: Sum, in: [is_place, wide_axes], attrs: {keep_dims: true}}
  of_sum: {op: Mul, in: [of_others, in_sum]}
  conj_weights: {op: Conj, in: weights}
  ones: {op: OnesLike, in: shape}
  weights_shape: {op: ConcatV2, in: {values: [counts, ones], axis: start}}
  wide_weights: {op: Reshape, in: [conj_weights, weights_shape]}
  weighted: {op: Mul, in: [of_sum, wide_weights]}
  dinput: {op: Sum, in: [weighted, first]}
outputs: {weights: dweights, input: dinput, reduction_indices: null}
)yaml")
    .Doc(R"doc(
Computes, for each element j, the sum over all others i of weight i times the product of all elements but i and j.

This is the gradient of ProdOfOthers.

weights: The gradient of ProdOfOthers' output.
input: The input of ProdOfOthers.
reduction_indices: The axes of Prod, a scalar or a vector. Negative ones count from the end.
output: The sums, in the shape of the input.
)doc");

REGISTER_KERNEL_BUILDER(Name("ProdOfOthers").Device(DEVICE_CPU), ProdGradientOp)
REGISTER_KERNEL_BUILDER(Name("ProdOfOthersGrad").Device(DEVICE_CPU), ProdGradientOp)
REGISTER_KERNEL_BUILDER(Name("Prod").Device(DEVICE_CPU), ReduceOp<CpuReducer<ProdFold, Numbers>>)

}  // namespace
}  // namespace math_ops
