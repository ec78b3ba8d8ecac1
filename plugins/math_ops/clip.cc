// plugins/math_ops/clip.cc: ClipByValue.
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "any_device.h"
#include "opsrun/op.h"
#include "opsrun/shape_inference.h"

namespace math_ops {

using namespace shape_inference;

namespace {

Status NotABound(const std::string& x, const std::string& bound, const char* input) {
  return errors::InvalidArgument(input, " must be a scalar or have the shape ", x, " of t, but its shape is ", bound,
                                 "; use Minimum and Maximum to broadcast bounds")
      .Blame(std::string("input:") + input);
}

// INVALID_ARGUMENT: the shape of a bound, the input `input`, is neither a scalar's nor x's.
Status CheckBound(const TensorShape& x, const TensorShape& bound, const char* input) {
  if (bound.dims() == 0 || bound == x) return Status::OK();
  return NotABound(x.DebugString(), bound.DebugString(), input);
}

// Merges the shape of a bound with that of t, unless it is or may be a scalar.
Status MergeBound(InferenceContext* c, int input, const char* name, ShapeHandle* t) {
  const ShapeHandle bound = c->input(input);
  if (!c->RankKnown(bound) || c->Rank(bound) == 0) return Status::OK();
  ShapeHandle merged;
  if (!c->Merge(*t, bound, &merged).ok()) return NotABound(c->DebugString(*t), c->DebugString(bound), name);
  *t = merged;
  return Status::OK();
}

Status ClipShape(InferenceContext* c) {
  ShapeHandle t = c->input(0);
  TF_RETURN_IF_ERROR(MergeBound(c, 1, "clip_value_min", &t));
  TF_RETURN_IF_ERROR(MergeBound(c, 2, "clip_value_max", &t));
  c->set_output(0, t);
  return Status::OK();
}

struct ClipLoops {
  template <typename T, typename Lower, typename Upper>
  static void Each(const T* x, const Lower& lower, const Upper& upper, T* out, int64 begin, int64 end) {
    MATH_OPS_INDEPENDENT
    for (int64 i = begin; i < end; ++i) {
      out[i] = static_cast<T>(
          Clip()(static_cast<Wide<T>>(x[i]), static_cast<Wide<T>>(lower(i)), static_cast<Wide<T>>(upper(i))));
    }
  }

  template <typename T>
  static Status Run(OpKernelContext* context, const ClipRun& run) {
    const T *const x = static_cast<const T*>(run.x), *const lowers = static_cast<const T*>(run.lower);
    const T* const uppers = static_cast<const T*>(run.upper);
    T* const out = static_cast<T*>(run.out);
    ForElements(context, run.n, 1000, [&](int64 begin, int64 end) {
      WithOperand(run.lower_walks, lowers, [&](const auto& lower) {
        WithOperand(run.upper_walks, uppers, [&](const auto& upper) { Each(x, lower, upper, out, begin, end); });
      });
    });
    return Status::OK();
  }
};

// The gradients of t, the minimum and the maximum from `g`, in nodes whose names begin with p. Where t equals a bound,
// t gets the gradient.
#define CLIP_BACK(p, t, lower, upper, g, zero)                       \
  "  " p "is_above: {op: Greater, in: [" t ", " upper                \
  "]}\n"                                                             \
  "  " p "lowered: {op: SelectV2, in: [" p "is_above, " upper ", " t \
  "]}\n"                                                             \
  "  " p "is_below: {op: Less, in: [" p "lowered, " lower            \
  "]}\n"                                                             \
  "  " p "gmin: {op: SelectV2, in: [" p "is_below, " g ", " zero     \
  "]}\n"                                                             \
  "  " p "rest: {op: SelectV2, in: [" p "is_below, " zero ", " g     \
  "]}\n"                                                             \
  "  " p "gmax: {op: SelectV2, in: [" p "is_above, " p "rest, " zero \
  "]}\n"                                                             \
  "  " p "gt: {op: SelectV2, in: [" p "is_above, " zero ", " p "rest]}\n"

// Selects by type: complex, or real.
#define OF_TYPE(complex64, complex128, real)                                                          \
  "{attr: T, complex64: " complex64 ", complex128: " complex128 ", float64: " real ", float32: " real \
  ", float16: " real ", bfloat16: " real "}"

// A part of a complex tensor, which is clipped on its own. Real tensors do not have these nodes.
#define PART_OF(p, part, name, tensor) \
  "  " p name ": {op: " part ", in: " tensor ", attrs: {Tout: " OF_TYPE("float32", "float64", "float32") "}}\n"
#define CLIP_PART_BACK(p, part)             \
  PART_OF(p, part, "t", "t")                \
  PART_OF(p, part, "min", "clip_value_min") \
  PART_OF(p, part, "max", "clip_value_max") \
  PART_OF(p, part, "g", "grad.output")      \
  PART_OF(p, part, "zero", "zero")          \
  CLIP_BACK(p, p "t", p "min", p "max", p "g", p "zero")

REGISTER_OP("ClipByValue")
    .Input("t: T")
    .Input("clip_value_min: T")
    .Input("clip_value_max: T")
    .Output("output: T")
    .Attr("T: {" MATH_OPS_NUMBERS "}")
    .SetShapeFn(ClipShape)
    .Gradient(R"yaml(
feeds:
  zero: {value: 0, dtype: {attr: T}}
nodes:
  min_shape: {op: Shape, in: clip_value_min}
  max_shape: {op: Shape, in: clip_value_max}
)yaml" CLIP_BACK("", "t", "clip_value_min", "clip_value_max", "grad.output", "zero") R"yaml(
  dmin: {op: SumToShape, in: [gmin, min_shape]}
  dmax: {op: SumToShape, in: [gmax, max_shape]}
)yaml" CLIP_PART_BACK("re_", "Real") CLIP_PART_BACK("im_", "Imag") R"yaml(
  both_gt: {op: Complex, in: [re_gt, im_gt], attrs: {Tout: {attr: T}}}
  both_gmin: {op: Complex, in: [re_gmin, im_gmin], attrs: {Tout: {attr: T}}}
  both_gmax: {op: Complex, in: [re_gmax, im_gmax], attrs: {Tout: {attr: T}}}
  both_dmin: {op: SumToShape, in: [both_gmin, min_shape]}
  both_dmax: {op: SumToShape, in: [both_gmax, max_shape]}
outputs:
)yaml"
              "  t: " OF_TYPE("both_gt", "both_gt", "gt") "\n"
              "  clip_value_min: " OF_TYPE("both_dmin", "both_dmin", "dmin") "\n"
              "  clip_value_max: " OF_TYPE("both_dmax", "both_dmax", "dmax") "\n")
    .Doc(R"doc(
Sets elements below a minimum to it, and elements above a maximum to that one.

NaN stays, and a bound that is NaN does not bound. Where the minimum is above the maximum, the result is the minimum. Of
complex numbers, each part is clipped to that part of the bounds.

t: Numbers of any shape.
clip_value_min: The minimum, a scalar or, for each element, in the shape of t.
clip_value_max: The maximum, a scalar or, for each element, in the shape of t.
output: The clipped numbers, in the shape of t.
)doc");

REGISTER_KERNEL_BUILDER(Name("ClipByValue").Device(DEVICE_CPU).Elementwise().Tiled(), ClipOp<ClipLoops, Numbers>)

}  // namespace

void ClipKernel::Compute(OpKernelContext* context) {
  const Tensor &x = context->input(0), &lower = context->input(1), &upper = context->input(2);
  OP_REQUIRES_OK(context, CheckBound(x.shape(), lower.shape(), "clip_value_min"));
  OP_REQUIRES_OK(context, CheckBound(x.shape(), upper.shape(), "clip_value_max"));
  Tensor* output = nullptr;
  OP_REQUIRES_OK(context, MakeOutput(context, {0, 1, 2}, x.shape(), &output));
  const int64 n = x.NumElements();
  if (n == 0) return;
  OP_REQUIRES_OK(context, loop_(context, {x.data(), lower.data(), upper.data(), lower.dims() > 0, upper.dims() > 0,
                                          output->data(), n}));
}

}  // namespace math_ops
