// adapters/pytorch/native/errors.h: codes of opsrun as exceptions of PyTorch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "opsrun/embed_host.h"

namespace opsrun_torch {

inline std::string Text(opsrun_str text) {
  return text.size == 0 ? std::string() : std::string(text.data, text.size);
}
inline opsrun_str Str(const std::string& text) {
  return {text.data(), text.size()};
}

// "INVALID_ARGUMENT"
const char* CodeName(int32_t code);

// In Python: ValueError for INVALID_ARGUMENT, IndexError for OUT_OF_RANGE, NotImplementedError for UNIMPLEMENTED,
// MemoryError for RESOURCE_EXHAUSTED, otherwise RuntimeError.
[[noreturn]] void Raise(int32_t code, const std::string& text);

// Frees the report. Raises unless the code is OPSRUN_OK; `what` begins the text.
void Check(int32_t code, opsrun_report* report, const std::string& what);

}  // namespace opsrun_torch
