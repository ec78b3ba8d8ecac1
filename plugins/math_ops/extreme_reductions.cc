// plugins/math_ops/extreme_reductions.cc: Max and Min, All and Any.
// SPDX-License-Identifier: Apache-2.0
#include "axes.h"
#include "extremes.h"
#include "logical_folds.h"
#include "reduce.h"

namespace math_ops {
namespace {

using namespace opsrun;

template <typename Fold>
class LogicalReduceOp : public ReduceOp<Fold, TypeList<uint8_t>> {
 public:
  explicit LogicalReduceOp(OpKernelConstruction* context) : ReduceOp<Fold, TypeList<uint8_t>>(context, DT_UINT8) {}
};

// Elements that are equal to the result share the gradient equally.
#define EXTREME_REDUCTION_GRADIENT                                  \
  REDUCED_SHAPES                                                    \
  "  result: {op: Reshape, in: [output, kept]}\n"                   \
  "  g: {op: Reshape, in: [grad.output, kept]}\n"                   \
  "  is_result: {op: Equal, in: [input, result]}\n"                 \
  "  weight: {op: Cast, in: is_result, attrs: {DstT: {attr: T}}}\n" \
  "  total: {op: Sum, in: [weight, reduction_indices]}\n"           \
  "  kept_total: {op: Reshape, in: [total, kept]}\n"                \
  "  share: {op: RealDiv, in: [weight, kept_total]}\n"              \
  "  dinput: {op: Mul, in: [share, g]}\n"                           \
  "outputs: {input: dinput, reduction_indices: null}\n"

REGISTER_REDUCTION("Max", MATH_OPS_REAL_NUMBERS).Gradient(EXTREME_REDUCTION_GRADIENT).Doc(R"doc(
Gives the largest of the elements along some dimensions.

It is NaN if one of them is NaN. Of no elements, it is -inf, or the smallest integer.

)doc" REDUCTION_DOC("Numbers.", "The largest numbers."));

REGISTER_REDUCTION("Min", MATH_OPS_REAL_NUMBERS).Gradient(EXTREME_REDUCTION_GRADIENT).Doc(R"doc(
Gives the smallest of the elements along some dimensions.

It is NaN if one of them is NaN. Of no elements, it is inf, or the largest integer.

)doc" REDUCTION_DOC("Numbers.", "The smallest numbers."));

#define REGISTER_LOGICAL_REDUCTION(name)       \
  REGISTER_OP(name)                            \
      .Input("input: bool")                    \
      .Input("reduction_indices: Tidx")        \
      .Output("output: bool")                  \
      .Attr("Tidx: {int32, int64} = DT_INT32") \
      .Attr("keep_dims: bool = false")         \
      .SetShapeFn(AxesShapeFn)                 \
      .NotDifferentiable()

REGISTER_LOGICAL_REDUCTION("All").Doc(
    "Tests whether all elements along some dimensions are true. Of no elements, all are.\n\n" REDUCTION_DOC(
        "Bools.", "Whether all are true."));
REGISTER_LOGICAL_REDUCTION("Any").Doc(
    "Tests whether any element along some dimensions is true. Of no elements, none is.\n\n" REDUCTION_DOC(
        "Bools.", "Whether any is true."));

REGISTER_KERNEL_BUILDER(Name("Max").Device(DEVICE_CPU), ReduceOp<MaxFold, RealNumbers>)
REGISTER_KERNEL_BUILDER(Name("Min").Device(DEVICE_CPU), ReduceOp<MinFold, RealNumbers>)
REGISTER_KERNEL_BUILDER(Name("All").Device(DEVICE_CPU), LogicalReduceOp<AllFold>)
REGISTER_KERNEL_BUILDER(Name("Any").Device(DEVICE_CPU), LogicalReduceOp<AnyFold>)

}  // namespace
}  // namespace math_ops
