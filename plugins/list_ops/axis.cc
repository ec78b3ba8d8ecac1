// SPDX-License-Identifier: Apache-2.0
#include "axis.h"

namespace list_ops {

using namespace opsrun;

Status ResolveAxis(int64 axis, int64 rank, const std::string& what, const char* subject, int64* resolved) {
  const std::string name = std::string(subject).substr(std::string(subject).find(':') + 1);
  if (rank == 0) return errors::InvalidArgument(name, " is ", axis, ", but ", what, " is a scalar").Blame(subject);
  if (axis < -rank || axis >= rank) {
    return errors::InvalidArgument(name, " is ", axis, ", but must be between ", -rank, " and ", rank - 1, ", since ",
                                   what, " has rank ", rank)
        .Blame(subject);
  }
  *resolved = axis < 0 ? axis + rank : axis;
  return Status::OK();
}

Rows RowsAlong(const TensorShape& whole, int64 axis, int64 parts, int64 element_size) {
  Rows rows = {1, parts, element_size};
  for (int i = 0; i < axis; ++i) rows.rows *= whole.dim_size(i);
  for (int i = static_cast<int>(axis); i < whole.dims(); ++i) rows.row_bytes *= whole.dim_size(i);
  rows.row_bytes /= parts;
  return rows;
}

}  // namespace list_ops
