// host/spec/read_tensor.h: shapes and tensors in default texts. Functions fail as those of read_literal.h do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/spec/op_def.h"
#include "host/spec/text_cursor.h"

namespace opsrun::host::spec {

// { dim { size: 2 } dim { size: -1 } }, or { unknown_rank: true }. A size below -1 and a rank above OPSRUN_MAX_RANK are
// errors.
bool ReadShape(TextCursor* cursor, PartialShape* shape);

// { dtype: DT_INT32 tensor_shape { dim { size: 2 } } int_val: [1, 2] }. With fewer values than elements, the last one
// is repeated; without values, all elements are zero. Also errors: no dtype, more values than elements, values in the
// field of another data type, and more than 16 MiB.
bool ReadTensor(TextCursor* cursor, TensorValue* tensor);

}  // namespace opsrun::host::spec
