// host/spec/read_tensor.h: shapes and tensors in default texts. The functions fail as those of read_literal.h do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/spec/op_def.h"
#include "host/spec/text_cursor.h"

namespace opsrun::host::spec {

// { dim { size: 2 } dim { size: -1 } }, or { unknown_rank: true }. Fails also for a size below -1 and a rank above
// OPSRUN_MAX_RANK.
bool ReadShape(TextCursor* cursor, PartialShape* shape);

// { dtype: DT_INT32 tensor_shape { dim { size: 2 } } int_val: [1, 2] }. With fewer values than elements the last one is
// repeated, with none all are zero. Fails also without a dtype, for more values than elements, for values in the field
// of another data type, and for a tensor above 16 MiB.
bool ReadTensor(TextCursor* cursor, TensorValue* tensor);

}  // namespace opsrun::host::spec
