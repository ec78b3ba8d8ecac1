// plugins/list_ops/axis.h: an axis that may count from the end, and the rows that lie along it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "opsrun/status.h"
#include "opsrun/tensor.h"
#include "rows.h"

namespace list_ops {

// *resolved is in [0, rank). `what` is whose rank it is, `subject` gets the blame: "attr:axis", "input:split_dim".
opsrun::Status ResolveAxis(opsrun::int64 axis, opsrun::int64 rank, const std::string& what, const char* subject,
                           opsrun::int64* resolved);

// A tensor of `whole` made of, or cut into, equal parts along dimension `axis`. Requires: whole's dimension is a
// multiple of `parts`, which is not 0.
Rows RowsAlong(const opsrun::TensorShape& whole, opsrun::int64 axis, opsrun::int64 parts, opsrun::int64 element_size);

}  // namespace list_ops
