// plugins/hash_table/hash_table_ops.cc: HashTable, which creates a table, and the ops that use one.
// SPDX-License-Identifier: Apache-2.0
#include "opsrun/check_shapes.h"
#include "opsrun/op.h"
#include "opsrun/plugin.h"
#include "opsrun/resource_mgr.h"
#include "table.h"

OPSRUN_PLUGIN("hash_table", "0.1.0");
OPSRUN_PLUGIN_META("Apache-2.0", "", "Hash tables");

namespace hash_table {
namespace {

using namespace shape_inference;

REGISTER_OP("HashTable")
    .Output("table_handle: resource")
    .Attr("container: string = ''")
    .Attr("shared_name: string = ''")
    .Attr("key_dtype: {string, int32, int64}")
    .Attr("value_dtype: {string, int32, int64, float, double}")
    .SetIsStateful()
    .SetShapeFn(shape_inference::ScalarShape)
    .NotDifferentiable()
    .Doc(R"doc(
Makes a table from keys to values that nodes and runs share.

The table is empty when a program starts and lives to its end: what one run inserts, the next one finds.

table_handle: A scalar, the handle for LookupTableInsert, LookupTableFind, LookupTableSize and LookupTableExport.
container: A room of names: tables of one name in two containers are two tables.
shared_name: Nodes that give the same name have the same table. Without a name, a node has a table of its own.
key_dtype: The type of the keys.
value_dtype: The type of the values. TensorFlow's tables may hold bools as well.
)doc");

// "string to int64"
std::string TypesText(DataType keys, DataType values) {
  return DataTypeName(keys) + " to " + DataTypeName(values);
}

template <typename Key>
Table* NewTable(const std::string& origin, DataType keys, DataType values) {
  if (values == DT_STRING) return new BitsTable<Key, tstring>(origin, keys, values);
  if (DataTypeSize(values) == sizeof(uint32_t)) return new BitsTable<Key, uint32_t>(origin, keys, values);
  return new BitsTable<Key, uint64_t>(origin, keys, values);
}

class HashTableOp : public ResourceOpKernel<Table> {
 public:
  explicit HashTableOp(OpKernelConstruction* context) : ResourceOpKernel<Table>(context) {
    OP_REQUIRES_OK(context, context->GetAttr("shared_name", &shared_name_));
    OP_REQUIRES_OK(context, context->GetAttr("key_dtype", &keys_));
    OP_REQUIRES_OK(context, context->GetAttr("value_dtype", &values_));
  }

 private:
  Status CreateResource(Table** table) override {
    const std::string of = shared_name_.empty() ? "the table of node '" + name() : "table '" + shared_name_;
    const auto make = keys_ == DT_STRING ? NewTable<tstring> : keys_ == DT_INT32 ? NewTable<int32> : NewTable<int64>;
    *table = make(of + "'", keys_, values_);
    return Status::OK();
  }

  Status VerifyResource(Table* table) override {
    if (table->key_dtype == keys_ && table->value_dtype == values_) return Status::OK();
    return errors::InvalidArgument(table->origin, " maps ", TypesText(table->key_dtype, table->value_dtype),
                                   " because another node created it so, but this node expects ",
                                   TypesText(keys_, values_), "; use another shared_name for another table")
        .Blame("attr:shared_name");
  }

  std::string shared_name_;
  DataType keys_ = DT_INVALID, values_ = DT_INVALID;
};

#define REGISTER_TABLE(Key, Value)                                                                                \
  REGISTER_KERNEL_BUILDER(                                                                                        \
      Name("HashTable").Device(DEVICE_CPU).TypeConstraint<Key>("key_dtype").TypeConstraint<Value>("value_dtype"), \
      HashTableOp)
#define REGISTER_TABLES_FROM(Key) \
  REGISTER_TABLE(Key, tstring)    \
  REGISTER_TABLE(Key, int32) REGISTER_TABLE(Key, int64) REGISTER_TABLE(Key, float) REGISTER_TABLE(Key, double)
REGISTER_TABLES_FROM(tstring)
REGISTER_TABLES_FROM(int32)
REGISTER_TABLES_FROM(int64)

// The index of input `table_handle`, the first input of all other ops.
constexpr int kHandle = 0;

using TablePtr = core::RefCountPtr<Table>;

Status CheckHandleShape(InferenceContext* c) {
  return CheckScalar(c, kHandle, "table_handle");
}

template <typename... Pieces>
Status BadHandle(const Pieces&... pieces) {
  return errors::InvalidArgument(pieces...).Blame("input:table_handle");
}

Status FindTable(OpKernelContext* context, TablePtr* table) {
  ResourceHandle handle;
  Status status = HandleFromInput(context, "table_handle", &handle);
  if (status.ok()) status = LookupResource(context, handle, table);
  if (status.ok()) return status;
  return BadHandle("table_handle must come from a HashTable op. ", status.message());
}

// The same; also INVALID_ARGUMENT unless the table has these types, which come from the node's tensors or attrs.
Status FindTable(OpKernelContext* context, DataType keys, DataType values, TablePtr* table) {
  TF_RETURN_IF_ERROR(FindTable(context, table));
  const Table& found = **table;
  if (found.key_dtype == keys && found.value_dtype == values) return Status::OK();
  return BadHandle(found.origin, " maps ", TypesText(found.key_dtype, found.value_dtype), ", but this node expects ",
                   TypesText(keys, values));
}

// An op on a table, without attrs.
template <Status (*kCompute)(OpKernelContext*)>
class TableOp : public OpKernel {
 public:
  using OpKernel::OpKernel;

  void Compute(OpKernelContext* context) override { OP_REQUIRES_OK(context, kCompute(context)); }
};

// LookupTableInsert.

constexpr int kKeys = 1, kValues = 2;

Status InsertShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckHandleShape(c));
  return CheckShape(c, kValues, "values", c->input(kKeys), "keys");
}

Status Insert(OpKernelContext* context) {
  const Tensor &keys = context->input(kKeys), &values = context->input(kValues);
  TablePtr table;
  TF_RETURN_IF_ERROR(FindTable(context, keys.dtype(), values.dtype(), &table));
  TF_RETURN_IF_ERROR(CheckShape(values.shape(), "values", keys.shape(), "keys"));
  return table->Insert(context, keys, values);
}

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

REGISTER_KERNEL_BUILDER(Name("LookupTableInsert").Device(DEVICE_CPU), TableOp<Insert>);

// LookupTableFind.

constexpr int kDefault = 2;

Status FindShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckHandleShape(c));
  TF_RETURN_IF_ERROR(CheckScalar(c, kDefault, "default_value"));
  c->set_output(0, c->input(kKeys));
  return Status::OK();
}

Status Find(OpKernelContext* context) {
  const Tensor &keys = context->input(kKeys), &missing = context->input(kDefault);
  TablePtr table;
  TF_RETURN_IF_ERROR(FindTable(context, keys.dtype(), missing.dtype(), &table));
  TF_RETURN_IF_ERROR(CheckScalar(missing.shape(), "default_value"));
  Tensor* values = nullptr;
  TF_RETURN_IF_ERROR(context->allocate_output(0, keys.shape(), &values));
  table->Find(context, keys, missing, values);
  return Status::OK();
}

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

REGISTER_KERNEL_BUILDER(Name("LookupTableFind").Device(DEVICE_CPU), TableOp<Find>);

// LookupTableSize and LookupTableExport.

Status SizeShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckHandleShape(c));
  c->set_output(0, c->Scalar());
  return Status::OK();
}

// One dimension for both outputs, so they are known to be equally long.
Status ExportShape(InferenceContext* c) {
  TF_RETURN_IF_ERROR(CheckHandleShape(c));
  const ShapeHandle entries = c->Vector(c->UnknownDim());
  c->set_output(0, entries);
  c->set_output(1, entries);
  return Status::OK();
}

Status GiveSize(OpKernelContext* context) {
  TablePtr table;
  TF_RETURN_IF_ERROR(FindTable(context, &table));
  Tensor* size = nullptr;
  TF_RETURN_IF_ERROR(context->allocate_output(0, TensorShape(), &size));
  size->scalar<int64>()() = table->size();
  return Status::OK();
}

Status Export(OpKernelContext* context) {
  TablePtr table;
  TF_RETURN_IF_ERROR(FindTable(context, context->expected_output_dtype(0), context->expected_output_dtype(1), &table));
  return table->Export(context);
}

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

REGISTER_KERNEL_BUILDER(Name("LookupTableSize").Device(DEVICE_CPU), TableOp<GiveSize>);
REGISTER_KERNEL_BUILDER(Name("LookupTableExport").Device(DEVICE_CPU), TableOp<Export>);

}  // namespace
}  // namespace hash_table
