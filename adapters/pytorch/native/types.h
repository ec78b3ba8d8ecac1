// adapters/pytorch/native/types.h: data types of PyTorch and opsrun.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <c10/core/ScalarType.h>

#include <optional>

#include "opsrun/embed_host.h"

namespace opsrun_torch {

struct TypeNumbers {
  c10::ScalarType torch;
  int32_t opsrun;  // OPSRUN_DT_*
  opsrun_dldtype dl;
};

// Null for a type that opsrun does not have, such as torch.complex32 and quantized types with a scale.
const TypeNumbers* FindType(c10::ScalarType type);
// Null for a type that PyTorch does not have, such as strings.
const TypeNumbers* FindType(int32_t dtype);

}  // namespace opsrun_torch
