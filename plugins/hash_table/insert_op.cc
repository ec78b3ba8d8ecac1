// plugins/hash_table/insert_op.cc: LookupTableInsert, pairs for a table.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/op.h"
#include "table_input.h"

namespace hash_table {
namespace {

using namespace opsrun;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

constexpr int kKeys = 1, kValues = 2;

Status Differ(const std::string& keys, const std::string& values) {
  return errors::InvalidArgument("values must have the shape of keys, which is ", keys, ", but its shape is ", values)
      .Blame("input:values");
}

Status InsertShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckHandleShape(c));
  const ShapeHandle keys = c->input(kKeys), values = c->input(kValues);
  ShapeHandle both;
  if (c->Merge(keys, values, &both).ok()) return Status::OK();
  return Differ(c->DebugString(keys), c->DebugString(values));
}

class InsertOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    const Tensor& keys = context->input(kKeys);
    const Tensor& values = context->input(kValues);
    TablePtr table;
    OP_REQUIRES_OK(context, FindTable(context, keys.dtype(), values.dtype(), &table));
    OP_REQUIRES(context, keys.IsSameSize(values), Differ(keys.shape().DebugString(), values.shape().DebugString()));
    table->Insert(keys, values);
  }
};

REGISTER_OP("LookupTableInsert")
    .Input("table_handle: resource")
    .Input("keys: Tin")
    .Input("values: Tout")
    .Attr("Tin: {string, int32, int64}")
    .Attr("Tout: {string, int32, int64, float, double}")
    .SetIsStateful()
    .SetShapeFn(InsertShape)
    .NotDifferentiable()
    .Doc(R"doc(
Puts keys and their values into a table.

A key that is there already gets the new value; of equal keys, the last one counts. Nodes that read what is inserted
here name this node in `after`.

table_handle: A table of these types, from HashTable.
keys: Keys of any shape.
values: As many values, of the same shape.
)doc");

REGISTER_KERNEL_BUILDER(Name("LookupTableInsert").Device(DEVICE_CPU), InsertOp);

}  // namespace
}  // namespace hash_table
