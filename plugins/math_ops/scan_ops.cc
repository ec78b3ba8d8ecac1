// plugins/math_ops/scan_ops.cc: Cumsum and Cumprod, and LinearRecurrence, which the gradient of products needs.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/op.h"
#include "scan_loops.h"

namespace math_ops {
namespace {

using namespace opsrun;

#define NOTE_ON_STATES                                                                                                \
  "Integers wrap on overflow. float16 and bfloat16 are computed as float32, and each result is rounded once. On the " \
  "CPU, elements are taken one after the other; on a GPU, long "

REGISTER_SCAN("Cumsum", MATH_OPS_NUMBERS, .Input("x: T"))
    .Gradient(R"yaml(
nodes:
  dx: {op: Cumsum, in: [grad.out, axis], attrs: {exclusive: {attr: exclusive}, )yaml" BACKWARD R"yaml(}}
outputs: {x: dx, axis: null}
)yaml")
    .Doc("Computes the sum of each element and all before it along an axis.\n\n" NOTE_ON_STATES
         "lines are added in parts.\n\nx: Numbers, with at least one dimension.\n" SCAN_DOC(
             "The sums, in the shape of x."));

// What the gradients of results say on an element through all that comes later: at each later result, its gradient
// times the factors from here to there. `from_here` is for results that include the factor at their own place, and
// `from_later` for exclusive ones.
#define GRADIENTS_OF_LATER(factors)                                                                      \
  "  carried: {op: Mul, in: [" factors                                                                   \
  ", grad.out]}\n"                                                                                       \
  "  later: {op: LinearRecurrence, in: [" factors ", carried, axis], attrs: {exclusive: true, " BACKWARD \
  "}}\n"                                                                                                 \
  "  from_here: {op: Add, in: [grad.out, later]}\n"                                                      \
  "  from_later: {op: LinearRecurrence, in: [" factors ", grad.out, axis], attrs: {exclusive: true, " BACKWARD "}}\n"

// A result is the product of the factors before an element, the element, and those behind it. So a 0 is a factor like
// any other, where the quotient of result and element would be NaN.
REGISTER_SCAN("Cumprod", MATH_OPS_NUMBERS, .Input("x: T"))
    .Gradient(R"yaml(
nodes:
  conj_x: {op: Conj, in: x}
)yaml" GRADIENTS_OF_LATER("conj_x") R"yaml(
  before: {op: Cumprod, in: [conj_x, axis], attrs: {exclusive: true, reverse: {attr: reverse}}}
  dx: {op: Mul, in: [before, from_here]}
  dx_exclusive: {op: Mul, in: [before, from_later]}
outputs: {x: {attr: exclusive, true: dx_exclusive, false: dx}, axis: null}
)yaml")
    .Doc("Computes the product of each element and all before it along an axis.\n\n" NOTE_ON_STATES
         "lines of integers are multiplied in parts.\n\nx: Numbers, with at least one dimension.\n" SCAN_DOC(
             "The products, in the shape of x."));

#define FLOATS_AND_COMPLEXES MATH_OPS_FLOATS ", " MATH_OPS_COMPLEXES

REGISTER_SCAN("LinearRecurrence", FLOATS_AND_COMPLEXES, .Input("factors: T").Input("terms: T"))
    .Gradient(R"yaml(
nodes:
  conj_factors: {op: Conj, in: factors}
)yaml" GRADIENTS_OF_LATER("conj_factors") R"yaml(
  before: {op: LinearRecurrence, in: [factors, terms, axis], attrs: {exclusive: true, reverse: {attr: reverse}}}
  conj_before: {op: Conj, in: before}
  dfactors: {op: Mul, in: [conj_before, from_here]}
  dfactors_exclusive: {op: Mul, in: [conj_before, from_later]}
outputs:
  factors: {attr: exclusive, true: dfactors_exclusive, false: dfactors}
  terms: {attr: exclusive, true: from_later, false: from_here}
  axis: null
)yaml")
    .Doc(
        "Computes y[i] = factors[i] * y[i - 1] + terms[i] along an axis, beginning with 0: sums that decay, or linear "
        "filters.\n\nfloat16 and bfloat16 are computed as float32, and each result is rounded once. The gradients of "
        "Cumprod are made of it.\n\nfactors: Numbers, with at least one dimension.\nterms: Numbers, in the shape of "
        "factors.\n" SCAN_DOC("The results, in the shape of factors."));

typedef Join<Floats, Complexes> RecurrenceTypes;
typedef ScanOp<RecurrenceStep, RecurrenceTypes> LinearRecurrenceOp;
typedef ScanOp<SumStep, Numbers> CumsumOp;
typedef ScanOp<ProductStep, Numbers> CumprodOp;
REGISTER_KERNEL_BUILDER(Name("Cumsum").Device(DEVICE_CPU), CumsumOp)
REGISTER_KERNEL_BUILDER(Name("Cumprod").Device(DEVICE_CPU), CumprodOp)
REGISTER_KERNEL_BUILDER(Name("LinearRecurrence").Device(DEVICE_CPU), LinearRecurrenceOp)

}  // namespace
}  // namespace math_ops
