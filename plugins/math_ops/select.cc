// plugins/math_ops/select.cc: Select and SelectV2.
// SPDX-License-Identifier: Apache-2.0
#include "any_device.h"
#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"

namespace math_ops {

namespace {

// A 16-byte element. Elements are only moved, so loops depend only on their size.
struct Wide16 {
  uint64_t parts[2];
};

// Branchless, because the condition is unpredictable. It is a bool, read as a byte: GCC vectorizes only that.
template <typename T>
T Pick(uint8_t condition, T t, T e) {
  const T mask = static_cast<T>(-static_cast<T>(condition != 0));
  return static_cast<T>(e ^ ((t ^ e) & mask));
}
Wide16 Pick(uint8_t condition, const Wide16& t, const Wide16& e) {
  return {{Pick(condition, t.parts[0], e.parts[0]), Pick(condition, t.parts[1], e.parts[1])}};
}

template <typename T, typename Then, typename Else>
void Choose(const uint8_t* condition, const Then& t, const Else& e, T* out, int64 n) {
  MATH_OPS_INDEPENDENT
  for (int64 i = 0; i < n; ++i) out[i] = Pick(condition[i], t(i), e(i));
}

template <typename T>
void Copy(const T* from, bool walks, T* out, int64 n) {
  if (from == out && walks) return;
  const T first = *from;
  for (int64 i = 0; i < n; ++i) out[i] = walks ? from[i] : first;
}

template <typename T>
void RunSelect(const Run& run, const uint8_t* condition, const void* ts, const void* es, void* outs) {
  const T* const t = static_cast<const T*>(ts) + run.at[1];
  const T* const e = static_cast<const T*>(es) + run.at[2];
  T* const out = static_cast<T*>(outs) + run.out;
  condition += run.at[0];
  if (!run.walks[0]) return *condition ? Copy(t, run.walks[1], out, run.n) : Copy(e, run.walks[2], out, run.n);
  WithOperand(run.walks[1], t, [&](const auto& t_at) {
    WithOperand(run.walks[2], e, [&](const auto& e_at) { Choose(condition, t_at, e_at, out, run.n); });
  });
}

auto LoopOfSize(int size) {
  return size == 1   ? &RunSelect<uint8_t>
         : size == 2 ? &RunSelect<uint16_t>
         : size == 4 ? &RunSelect<uint32_t>
         : size == 8 ? &RunSelect<uint64_t>
                     : &RunSelect<Wide16>;
}

}  // namespace

Status ChooseOnCpu(OpKernelContext* context, const Broadcast& broadcast, Tensor* output) {
  const Tensor &condition = context->input(0), &t = context->input(1), &e = context->input(2);
  const auto loop = LoopOfSize(DataTypeSize(output->dtype()));
  ForElements(context, broadcast.shape().num_elements(), 1000, [&](int64 begin, int64 end) {
    broadcast.ForRuns(begin, end, [&](const Run& run) {
      loop(run, static_cast<const uint8_t*>(condition.data()), t.data(), e.data(), output->data());
    });
  });
  return Status::OK();
}

// Reshapes a condition on the first dimension so that it can be broadcast.
Status SelectConditionShape(OpKernelContext* context, TensorShape* shape) {
  const TensorShape t = context->input(1).shape(), e = context->input(2).shape();
  if (t != e) {
    return errors::InvalidArgument("t and e must have the same shape, but have ", t.DebugString(), " and ",
                                   e.DebugString(), "; use SelectV2 to broadcast them")
        .Blame("input:e");
  }
  *shape = context->input(0).shape();
  const bool for_rows = shape->dims() == 1 && t.dims() >= 1 && shape->dim_size(0) == t.dim_size(0);
  for (int i = 1; for_rows && i < t.dims(); ++i) shape->AddDim(1);
  if (for_rows || shape->dims() == 0 || *shape == t) return Status::OK();
  return errors::InvalidArgument("condition must be a scalar, have the shape ", t.DebugString(),
                                 " of t, or be a vector with an element for each of its rows, but its shape is ",
                                 shape->DebugString())
      .Blame("input:condition");
}

Status SelectV2ConditionShape(OpKernelContext* context, TensorShape* shape) {
  *shape = context->input(0).shape();
  return Status::OK();
}

namespace {

using namespace shape_inference;

// Select follows TensorFlow's old rule: a condition of rank 1 applies to the first dimension.
Status SelectShape(InferenceContext* c) {
  const ShapeHandle condition = c->input(0);
  ShapeHandle shape;
  TF_RETURN_IF_ERROR(c->Merge(c->input(1), c->input(2), &shape));
  if (c->RankKnown(condition) && c->Rank(condition) == 1) {
    TF_RETURN_IF_ERROR(c->WithRankAtLeast(shape, 1, &shape));
    ShapeHandle prefix;
    TF_RETURN_IF_ERROR(c->MergePrefix(shape, condition, &shape, &prefix));
  } else if (c->RankKnown(condition) && c->Rank(condition) > 1) {
    TF_RETURN_IF_ERROR(c->Merge(shape, condition, &shape));
  }
  c->set_output(0, shape);
  return Status::OK();
}

Status SelectV2Shape(InferenceContext* c) {
  ShapeHandle shape;
  TF_RETURN_IF_ERROR(BroadcastBinaryOpOutputShapeFnHelper(c, c->input(1), c->input(2), &shape));
  TF_RETURN_IF_ERROR(BroadcastBinaryOpOutputShapeFnHelper(c, c->input(0), shape, &shape));
  c->set_output(0, shape);
  return Status::OK();
}

#define REGISTER_SELECT_OP(name) \
  REGISTER_OP(name)              \
      .Input("condition: bool")  \
      .Input("t: T")             \
      .Input("e: T")             \
      .Output("output: T")       \
      .Attr("T: {" MATH_OPS_NUMBERS ", bool, " MATH_OPS_QUANTIZED ", string}")

REGISTER_SELECT_OP("Select")
    .SetShapeFn(SelectShape)
    .Gradient(R"yaml(
nodes:
  zeros: {op: ZerosLike, in: t}
  dt: {op: Select, in: [condition, grad.output, zeros]}
  de: {op: Select, in: [condition, zeros, grad.output]}
outputs: {condition: null, t: dt, e: de}
)yaml")
    .Doc(R"doc(
Takes each element from t where the condition is true, and from e where it is false.

The condition may also be a scalar, for all elements, or a vector, for the rows of t and e along their first dimension.
SelectV2 broadcasts as other ops do.

condition: What to take.
t: Any shape.
e: The same shape.
output: The chosen elements.
)doc");

REGISTER_SELECT_OP("SelectV2")
    .Broadcasts("(),(),()->()")
    .SetShapeFn(SelectV2Shape)
    .Gradient(R"yaml(
feeds:
  zero: {value: 0, dtype: {attr: T}}
nodes:
  t_shape: {op: Shape, in: t}
  e_shape: {op: Shape, in: e}
  gt: {op: SelectV2, in: [condition, grad.output, zero]}
  ge: {op: SelectV2, in: [condition, zero, grad.output]}
  dt: {op: SumToShape, in: [gt, t_shape]}
  de: {op: SumToShape, in: [ge, e_shape]}
outputs: {condition: null, t: dt, e: de}
)yaml")
    .Doc(R"doc(
Takes each element from t where the condition is true, and from e where it is false, with broadcasting.

condition: What to take, of any shape.
t: A shape that can be broadcast with the condition's.
e: A shape that can be broadcast with both.
output: The chosen elements.
)doc");

typedef Join<Join<Numbers, TypeList<bool>>, Quantized> FixedTypes;
#define REGISTER_SELECT(name, shape)                                                                      \
  REGISTER_KERNEL_BUILDER(                                                                                \
      Name(name).Device(DEVICE_CPU).Elementwise().Tiled().TypeConstraint("T", TypesOf<FixedTypes>::kAll), \
      SelectOp<shape, ChooseOnCpu>)
REGISTER_SELECT("Select", SelectConditionShape)
REGISTER_SELECT("SelectV2", SelectV2ConditionShape)

}  // namespace
}  // namespace math_ops
