// plugins/hash_table/contents_ops.cc: LookupTableSize and LookupTableExport, what is in a table.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/op.h"
#include "table_input.h"

namespace hash_table {
namespace {

using namespace opsrun;
using shape_inference::InferenceContext;
using shape_inference::ShapeHandle;

Status SizeShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckHandleShape(c));
  c->set_output(0, c->Scalar());
  return Status::OK();
}

// One dimension for both: there are as many values as keys, however many these are.
Status ExportShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckHandleShape(c));
  const ShapeHandle entries = c->Vector(c->UnknownDim());
  c->set_output(0, entries);
  c->set_output(1, entries);
  return Status::OK();
}

class SizeOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    TablePtr table;
    OP_REQUIRES_OK(context, FindTable(context, &table));
    Tensor* size = nullptr;
    OP_REQUIRES_OK(context, context->allocate_output(0, TensorShape(), &size));
    size->scalar<int64>()() = table->size();
  }
};

class ExportOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override {
    TablePtr table;
    OP_REQUIRES_OK(context,
                   FindTable(context, context->expected_output_dtype(0), context->expected_output_dtype(1), &table));
    OP_REQUIRES_OK(context, table->Export(context));
  }
};

REGISTER_OP("LookupTableSize")
    .Input("table_handle: resource")
    .Output("size: int64")
    .SetIsStateful()
    .SetShapeFn(SizeShape)
    .NotDifferentiable()
    .Doc(R"doc(
Counts the keys of a table.

table_handle: Any table, from HashTable.
size: A scalar: how many keys there are.
)doc");

REGISTER_OP("LookupTableExport")
    .Input("table_handle: resource")
    .Output("keys: Tkeys")
    .Output("values: Tvalues")
    .Attr("Tkeys: {string, int32, int64}")
    .Attr("Tvalues: {string, int32, int64, float, double}")
    .SetIsStateful()
    .SetShapeFn(ExportShape)
    .NotDifferentiable()
    .Doc(R"doc(
Gives all that is in a table.

table_handle: A table of these types, from HashTable.
keys: All keys, in ascending order; strings by their bytes.
values: The value of each key, in the same order.
)doc");

REGISTER_KERNEL_BUILDER(Name("LookupTableSize").Device(DEVICE_CPU), SizeOp);
REGISTER_KERNEL_BUILDER(Name("LookupTableExport").Device(DEVICE_CPU), ExportOp);

}  // namespace
}  // namespace hash_table
