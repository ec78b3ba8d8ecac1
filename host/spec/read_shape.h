// host/spec/read_shape.h: shapes in default texts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/spec/attr_value.h"
#include "host/spec/text_cursor.h"

namespace opsrun::host::spec {

// { dim { size: 2 } dim { size: -1 } }, or { unknown_rank: true }. Fails as the functions of read_literal.h do; also
// for a size below -1 and a rank above OPSRUN_MAX_RANK.
bool ReadShape(TextCursor* cursor, PartialShape* shape, std::string* problem);

}  // namespace opsrun::host::spec
