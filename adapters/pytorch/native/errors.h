// adapters/pytorch/native/errors.h: codes of opsrun as PyTorch exceptions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "adapters/common/failure.h"

namespace opsrun_torch {

using opsrun_adapter::CodeName;
using opsrun_adapter::Str;
using opsrun_adapter::Text;

// In Python: ValueError for INVALID_ARGUMENT, IndexError for OUT_OF_RANGE, NotImplementedError for UNIMPLEMENTED,
// MemoryError for RESOURCE_EXHAUSTED, otherwise RuntimeError.
[[noreturn]] void Raise(int32_t code, const std::string& text);

}  // namespace opsrun_torch
