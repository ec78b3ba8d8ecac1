// host/spec/read_tensor.h: tensors in default texts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/spec/attr_value.h"
#include "host/spec/text_cursor.h"

namespace opsrun::host::spec {

// { dtype: DT_INT32 tensor_shape { dim { size: 2 } } int_val: [1, 2] }. With fewer values than elements the last one is
// repeated, with none all are zero. Fails as the functions of read_literal.h do; also without a dtype, for more values
// than elements, for values in the field of another data type, and for a tensor above 16 MiB.
bool ReadTensor(TextCursor* cursor, TensorValue* tensor, std::string* problem);

}  // namespace opsrun::host::spec
