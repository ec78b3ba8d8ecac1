// adapters/jax/native/types.h: opsrun's data types as XLA represents them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/embed_host.h"
#include "xla/ffi/api/c_api.h"

namespace opsrun_jax {

struct TypeNumbers {
  int32_t opsrun;  // OPSRUN_DT_*
  XLA_FFI_DataType xla;
  opsrun_dldtype dl;

  size_t bytes() const { return dl.bits / 8; }  // per element
};

// Null for a type that XLA does not have, such as strings. Quantized types are integers in XLA.
const TypeNumbers* FindType(int32_t dtype);

}  // namespace opsrun_jax
