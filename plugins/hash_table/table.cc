// plugins/hash_table/table.cc
// SPDX-License-Identifier: Apache-2.0
#include "table.h"

namespace hash_table {

using namespace opsrun;
using shape_inference::InferenceContext;

namespace {

template <typename... Pieces>
Status BadHandle(const Pieces&... pieces) {
  return errors::InvalidArgument(pieces...).Blame("input:table_handle");
}

}  // namespace

std::string TypesText(DataType keys, DataType values) {
  return DataTypeName(keys) + " to " + DataTypeName(values);
}

Status CheckHandleShape(InferenceContext* c) {
  return CheckScalar(c, kHandle, "table_handle");
}

Status FindTable(OpKernelContext* context, TablePtr* table) {
  ResourceHandle handle;
  Status status = HandleFromInput(context, "table_handle", &handle);
  if (status.ok()) status = LookupResource(context, handle, table);
  if (status.ok()) return status;
  return BadHandle("table_handle must come from an op HashTable. ", status.message());
}

Status FindTable(OpKernelContext* context, DataType keys, DataType values, TablePtr* table) {
  TF_RETURN_IF_ERROR(FindTable(context, table));
  const Table& found = **table;
  if (found.key_dtype() == keys && found.value_dtype() == values) return Status::OK();
  return BadHandle(found.origin(), " maps ", TypesText(found.key_dtype(), found.value_dtype()),
                   ", but this node asks for ", TypesText(keys, values));
}

}  // namespace hash_table
