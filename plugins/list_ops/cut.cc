// SPDX-License-Identifier: Apache-2.0
#include "cut.h"

#include <vector>

#include "axis.h"
#include "blocks.h"

namespace list_ops {

using namespace opsrun;

Status CutInto(OpKernelContext* context, const Tensor& value, int64 axis, const TensorShape& part) {
  std::vector<char*> parts;
  for (int i = 0; i < context->num_outputs(); ++i) {
    Tensor* output = nullptr;
    TF_RETURN_IF_ERROR(context->allocate_output(i, part, &output));
    parts.push_back(static_cast<char*>(output->data()));
  }
  if (value.NumElements() == 0) return Status::OK();
  const Rows rows = RowsAlong(value.shape(), axis, context->num_outputs(), DataTypeSize(value.dtype()));
  const char* whole = static_cast<const char*>(value.data());
  ForBytes(context, rows.bytes(), [&](int64 begin, int64 end) { Cut(rows, whole, parts.data(), begin, end); });
  return Status::OK();
}

}  // namespace list_ops
