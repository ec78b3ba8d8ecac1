// plugins/hash_table/table_input.h: the input `table_handle`, which all ops but HashTable begin with.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "opsrun/op_kernel.h"
#include "opsrun/resource_mgr.h"
#include "opsrun/shape_inference.h"
#include "table.h"

namespace hash_table {

inline constexpr int kHandle = 0;
using TablePtr = opsrun::core::RefCountPtr<Table>;

// Is the handle a scalar, as far as that is known?
opsrun::Status CheckHandleShape(opsrun::shape_inference::InferenceContext* c);

// The table that the handle is of. INVALID_ARGUMENT, blaming table_handle, if it is of something else.
opsrun::Status FindTable(opsrun::OpKernelContext* context, TablePtr* table);

// The same, and INVALID_ARGUMENT unless it holds these types, those of the node's tensors or attrs.
opsrun::Status FindTable(opsrun::OpKernelContext* context, opsrun::DataType keys, opsrun::DataType values,
                         TablePtr* table);

// "string to int64"
std::string TypesText(opsrun::DataType keys, opsrun::DataType values);

}  // namespace hash_table
