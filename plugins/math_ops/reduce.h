// plugins/math_ops/reduce.h: reduces a tensor along some of its dimensions, on the host's threads.
//
// The work is divided in the same way on any number of threads, so the result does not depend on their number.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "fold_loops.h"
#include "isa_simple_loops.h"
#include "opsrun/op.h"
#include "reduce_kernel.h"

namespace math_ops {

// Writes the elements of `output`: what the elements of `input` along the reduced dimensions give. reduced[i] is
// whether dimension i goes away. Requires: `output` has as many elements as the other dimensions.
void Reduce(opsrun::OpKernelContext* context, const opsrun::Tensor& input, const bool* reduced, const FoldLoops& loops,
            opsrun::Tensor* output);

template <typename Fold, typename Types>
class ReduceOp : public ReduceKernel {
 public:
  explicit ReduceOp(opsrun::OpKernelConstruction* context) : ReduceOp(context, context->input_type(0)) {}

 protected:
  // With the loops for elements of another type.
  ReduceOp(opsrun::OpKernelConstruction* context, opsrun::DataType type)
      : ReduceKernel(context), loops_(FastestLoop<FoldLoopsFor, Fold>(type, Types())) {}

  bool OneGivesItself() const override { return !kMapsElements<Fold, float>; }
  opsrun::Status Run(opsrun::OpKernelContext* context, const opsrun::Tensor& input, const bool* reduced,
                     opsrun::Tensor* output) const override {
    Reduce(context, input, reduced, *loops_, output);
    return opsrun::Status::OK();
  }

 private:
  const FoldLoops* const loops_;
};

}  // namespace math_ops

// REGISTER_REDUCTION("Sum", "half, float").Gradient(..).Doc(..): an op that reduces along axes.
#define REGISTER_REDUCTION_WITH(shape_fn, name, types) \
  REGISTER_OP(name)                                    \
      .Input("input: T")                               \
      .Input("reduction_indices: Tidx")                \
      .Output("output: T")                             \
      .Attr("T: {" types "}")                          \
      .Attr("Tidx: {int32, int64} = DT_INT32")         \
      .Attr("keep_dims: bool = false")                 \
      .SetShapeFn(shape_fn)
#define REGISTER_REDUCTION(name, types) REGISTER_REDUCTION_WITH(AxesShapeFn, name, types)
// For integers, before a run: of(c, result, x) includes x in a result that is `first` without elements.
#define REGISTER_FOLD(name, types, first, of) \
  REGISTER_REDUCTION_WITH((FoldedShape<first, opsrun::shape_inference::of>), name, types)

// The end of the doc of a reduction, with what it says on no axes.
#define REDUCTION_DOC_WITH(input, without_axes, output)                                                             \
  "input: " input                                                                                                   \
  "\nreduction_indices: The axes to reduce along, a scalar or a vector. Negative ones count from the end. Without " \
  "any, " without_axes "\noutput: " output                                                                          \
  "\nkeep_dims: Keeps the reduced dimensions, with size 1, so that the output can be broadcast with the input.\n"
#define REDUCTION_DOC(input, output) REDUCTION_DOC_WITH(input, "the output is the input.", output)

// The beginning of the gradient of a reduction: the shape of the input, and that of the output with ones at the axes.
#define REDUCED_SHAPES                \
  "nodes:\n"                          \
  "  shape: {op: Shape, in: input}\n" \
  "  kept: {op: ReducedShape, in: [shape, reduction_indices]}\n"
