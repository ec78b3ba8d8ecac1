// adapters/tensorflow/native/types.h: data types of TensorFlow, which have the same numbers as opsrun's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/embed.h"
#include "tensorflow/core/framework/types.h"

namespace opsrun_tf {

// Null for a type that opsrun does not have, such as variants, and for types below 8 bits, which TensorFlow stores in
// whole bytes and opsrun does not.
const opsrun_dldtype* FindType(int32_t dtype);

inline int32_t NumberOf(tensorflow::DataType type) {
  return static_cast<int32_t>(type);
}

}  // namespace opsrun_tf
