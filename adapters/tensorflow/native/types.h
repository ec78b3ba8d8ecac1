// adapters/tensorflow/native/types.h: data types of TensorFlow, whose numbers are those of opsrun.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/embed.h"
#include "tensorflow/core/framework/types.h"

namespace opsrun_tf {

// Null for a type that is no opsrun type, such as variants, and for numbers below a byte, which TensorFlow keeps one in
// a byte and opsrun does not.
const opsrun_dldtype* FindType(int32_t dtype);

inline int32_t NumberOf(tensorflow::DataType type) {
  return static_cast<int32_t>(type);
}

}  // namespace opsrun_tf
