// plugins/string_to_number/refusal.h: what is wrong with one element, in a sentence.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "opsrun/status.h"
#include "opsrun/tensor_shape.h"
#include "opsrun/types.h"
#include "parse.h"

namespace string_to_number {

// INVALID_ARGUMENT that names element `i` of string_tensor, its text, and what would do. Requires: why is not kOk.
opsrun::Status Refusal(const opsrun::TensorShape& shape, opsrun::int64 i, std::string_view text, opsrun::DataType type,
                       Parsed why);

}  // namespace string_to_number
