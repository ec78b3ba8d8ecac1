// opsrun_compat/print_shape.h: shapes in streams.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include "opsrun/internal/enter_tensorflow.h"
#include "opsrun/tensor_shape.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

inline std::ostream& operator<<(std::ostream& out, const TensorShape& shape) {
  return out << shape.DebugString();
}
inline std::ostream& operator<<(std::ostream& out, const PartialTensorShape& shape) {
  return out << shape.DebugString();
}

}  // namespace OPSRUN_HIDDEN
