// plugins/list_ops/add_n_op.cc: AddN, the sum of tensors of one shape.
// SPDX-License-Identifier: Apache-2.0
#include "add_n_op.h"

#include <vector>

#include "blocks.h"
#include "opsrun/op.h"
#include "opsrun/plugin.h"
#include "opsrun/register_types.h"
#include "sum.h"

OPSRUN_PLUGIN("list_ops", "0.1.0");

namespace list_ops {
namespace {

using namespace opsrun;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

Status AddNShape(InferenceContext* c) {
  ShapeHandle shape;
  TF_RETURN_IF_ERROR(MergeAll(c, "inputs", &shape));
  c->set_output(0, shape);
  return Status::OK();
}

struct AddOnCpu {
  template <typename T>
  static Status Run(OpKernelContext* context, const std::vector<const T*>& terms, T* out, int64 n) {
    constexpr int64 kSize = sizeof(T);
    ForBytes(context, n * kSize, [&](int64 begin, int64 end) { AddTerms(terms, out, begin / kSize, end / kSize); });
    return Status::OK();
  }
};

REGISTER_OP("AddN")
    .Input("inputs: N * T")
    .Output("sum: T")
    .Attr("N: int >= 1")
    .Attr("T: numbertype")
    .SetIsCommutative()
    .SetIsAggregate()
    .SetShapeFn(AddNShape)
    .Gradient(R"yaml(
nodes:
  dinputs: {op: Identity, each: inputs, in: grad.sum}
outputs: {inputs: dinputs}
)yaml")
    .Doc(R"doc(
Adds tensors element by element.

Integers that grow too large wrap. float16 and bfloat16 are added as float32 and rounded once.

inputs: Tensors of numbers, all of the same shape.
sum: Their sum, in order from the first to the last.
)doc");

// [registration]
#define REGISTER_ADD_N(T) \
  REGISTER_KERNEL_BUILDER(Name("AddN").Device(DEVICE_CPU).TypeConstraint<T>("T"), AddNOp<T, AddOnCpu>);
TF_CALL_NUMBER_TYPES(REGISTER_ADD_N)
#undef REGISTER_ADD_N
// [/registration]

}  // namespace
}  // namespace list_ops
