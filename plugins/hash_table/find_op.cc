// plugins/hash_table/find_op.cc: LookupTableFind, the values of keys.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/op.h"
#include "table_input.h"

namespace hash_table {
namespace {

using namespace opsrun;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

constexpr int kKeys = 1, kDefault = 2;

Status NoScalar(const std::string& shape) {
  return errors::InvalidArgument("default_value must be a scalar, but its shape is ", shape)
      .Blame("input:default_value");
}

Status FindShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckHandleShape(c));
  const ShapeHandle given = c->input(kDefault);
  ShapeHandle scalar;
  if (!c->WithRank(given, 0, &scalar).ok()) return NoScalar(c->DebugString(given));
  c->set_output(0, c->input(kKeys));
  return Status::OK();
}

class FindOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    const Tensor& keys = context->input(kKeys);
    const Tensor& missing = context->input(kDefault);
    TablePtr table;
    OP_REQUIRES_OK(context, FindTable(context, keys.dtype(), missing.dtype(), &table));
    OP_REQUIRES(context, missing.dims() == 0, NoScalar(missing.shape().DebugString()));
    Tensor* values = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, keys.shape(), &values));
    table->Find(context, keys, missing, values);
  }
};

REGISTER_OP("LookupTableFind")
    .Input("table_handle: resource")
    .Input("keys: Tin")
    .Input("default_value: Tout")
    .Output("values: Tout")
    .Attr("Tin: {string, int32, int64}")
    .Attr("Tout: {string, int32, int64, float, double}")
    .SetIsStateful()
    .SetShapeFn(FindShape)
    .NotDifferentiable()
    .Doc(R"doc(
Looks up keys in a table.

table_handle: A table of these types, from HashTable.
keys: Keys of any shape.
default_value: A scalar, the value of keys that are not in the table.
values: The values, in the shape of the keys.
)doc");

REGISTER_KERNEL_BUILDER(Name("LookupTableFind").Device(DEVICE_CPU), FindOp);

}  // namespace
}  // namespace hash_table
