// plugins/hash_table/hash_table_op.cc: HashTable, which makes a table and gives its handle.
// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "opsrun/common_shape_fns.h"
#include "opsrun/op.h"
#include "opsrun/plugin.h"
#include "opsrun/resource_mgr.h"
#include "opsrun/tstring.h"
#include "table_input.h"
#include "typed_table.h"

OPSRUN_PLUGIN("hash_table", "0.1.0");

namespace hash_table {
namespace {

using namespace opsrun;

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

// [kernel]
template <typename Key, typename Value>
class HashTableOp : public ResourceOpKernel<Table> {
 public:
  explicit HashTableOp(OpKernelConstruction* context) : ResourceOpKernel<Table>(context) {
    OP_REQUIRES_OK(context, context->GetAttr("shared_name", &shared_name_));
  }

 private:
  Status CreateResource(Table** table) override {
    const std::string origin = shared_name_.empty() ? "the table of node '" + name() : "table '" + shared_name_;
    *table = new TypedTable<Key, Value>(origin + "'");
    return Status::OK();
  }

  Status VerifyResource(Table* table) override {
    constexpr DataType kKeys = DataTypeToEnum<Key>::value, kValues = DataTypeToEnum<Value>::value;
    if (table->key_dtype() == kKeys && table->value_dtype() == kValues) return Status::OK();
    return errors::InvalidArgument(table->origin(), " maps ", TypesText(table->key_dtype(), table->value_dtype()),
                                   " since another node made it so, but this node asks for ", TypesText(kKeys, kValues),
                                   "; another shared_name makes another table")
        .Blame("attr:shared_name");
  }

  std::string shared_name_;
};
// [/kernel]

#define REGISTER_TABLE(Key, Value)                                                                                \
  REGISTER_KERNEL_BUILDER(                                                                                        \
      Name("HashTable").Device(DEVICE_CPU).TypeConstraint<Key>("key_dtype").TypeConstraint<Value>("value_dtype"), \
      HashTableOp<Key, Value>);
#define REGISTER_TABLES_FROM(Key) \
  REGISTER_TABLE(Key, tstring)    \
  REGISTER_TABLE(Key, int32)      \
  REGISTER_TABLE(Key, int64)      \
  REGISTER_TABLE(Key, float)      \
  REGISTER_TABLE(Key, double)
REGISTER_TABLES_FROM(tstring)
REGISTER_TABLES_FROM(int32)
REGISTER_TABLES_FROM(int64)
#undef REGISTER_TABLES_FROM
#undef REGISTER_TABLE

}  // namespace
}  // namespace hash_table
