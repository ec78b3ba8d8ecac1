// opsrun_compat/slice_debug_string.h: SliceDebugString, the place of an element, for messages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/tensor_shape.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

// "[1,0,2]" for element number `flat` of a tensor of that shape; empty for a scalar.
inline std::string SliceDebugString(const TensorShape& shape, int64 flat) {
  std::string text;
  for (int i = shape.dims() - 1; i >= 0; --i) {
    const int64 size = shape.dim_size(i), index = size > 0 ? flat % size : 0;
    text = (i == 0 ? "[" : ",") + std::to_string(i == 0 ? flat : index) + text;
    flat = size > 0 ? flat / size : 0;
  }
  return text.empty() ? text : text + "]";
}

}  // namespace OPSRUN_HIDDEN
