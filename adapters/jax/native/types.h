// adapters/jax/native/types.h: data types of opsrun as XLA has them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/embed_host.h"
#include "xla/ffi/api/c_api.h"

namespace opsrun_jax {

struct TypeNumbers {
  int32_t opsrun;  // OPSRUN_DT_*
  XLA_FFI_DataType xla;
  opsrun_dldtype dl;

  size_t bytes() const { return dl.bits / 8; }  // of an element
};

// Null for a type that XLA does not have, such as strings. Quantized numbers are integers to XLA.
const TypeNumbers* FindType(int32_t dtype);

}  // namespace opsrun_jax
