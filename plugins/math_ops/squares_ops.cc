// plugins/math_ops/squares_ops.cc: EuclideanNorm and L2Loss.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "axes.h"
#include "reduce.h"
#include "squares_fold.h"

namespace math_ops {
namespace {

using namespace opsrun;

class L2LossOp : public OpKernel {
 public:
  explicit L2LossOp(OpKernelConstruction* context)
      : OpKernel(context), loops_(FastestLoop<FoldLoopsFor, HalfSquaresFold>(context->input_type(0), Floats())) {}

  void Compute(OpKernelContext* context) override {
    bool reduced[OPSRUN_MAX_RANK];
    std::fill(std::begin(reduced), std::end(reduced), true);
    Tensor* output = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, {}, &output));
    Reduce(context, context->input(0), reduced, *loops_, output);
  }

 private:
  const FoldLoops* const loops_;
};

#define ADDED_AS_DOUBLE                                                                                              \
  "The squares of floats are added as float64, in pairs, the sums of pairs again in pairs and so on; the result is " \
  "rounded once."

// The norm is real, so only the real part of its gradient counts: half of its sum with its conjugate. Of zeros, there
// is no derivative, and it is NaN; where no gradient comes in, none goes out there, either.
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
    .SetShapeFn(shape_inference::ScalarShape)
    .Gradient(R"yaml(
nodes:
  dt: {op: Mul, in: [t, grad.output]}
outputs: {t: dt}
)yaml")
    .Doc("Computes half the sum of the squares of all elements.\n\n" ADDED_AS_DOUBLE
         "\n\nt: Numbers of any shape.\noutput: The loss, a scalar. It is 0 if t has no elements.\n");

REGISTER_KERNEL_BUILDER(Name("EuclideanNorm").Device(DEVICE_CPU), ReduceOp<NormFold, Numbers>)
REGISTER_KERNEL_BUILDER(Name("L2Loss").Device(DEVICE_CPU), L2LossOp)

}  // namespace
}  // namespace math_ops
