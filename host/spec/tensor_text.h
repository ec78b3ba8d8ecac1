// host/spec/tensor_text.h: a tensor as a message shows it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/spec/attr_value.h"

namespace opsrun::host::spec {

// "int32 5", "float32 [1, 2.5]", or "int32 of shape [2, 3]" if it is too large for a sentence.
std::string TensorText(const TensorValue& tensor);

}  // namespace opsrun::host::spec
