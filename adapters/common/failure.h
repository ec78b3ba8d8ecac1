// adapters/common/failure.h: errors of opsrun for adapters, which turn them into those of their framework.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>

#include "opsrun/embed_host.h"

namespace opsrun_adapter {

inline std::string Text(opsrun_str text) {
  return text.size == 0 ? std::string() : std::string(text.data, text.size);
}
inline opsrun_str Str(const std::string& text) {
  return {text.data(), text.size()};
}

// "INVALID_ARGUMENT"
const char* CodeName(int32_t code);

// With U+FFFD for bytes that are no UTF-8: frameworks take the text of an error for that.
std::string Utf8(const std::string& text);

// What is at fault as a text: "input:x output:y" is "input x output y".
std::string Blame(std::string subject);

// Each adapter defines it: throws what its framework, or its Python part, makes an error of. code: OPSRUN_*, not OK.
[[noreturn]] void Throw(int32_t code, const std::string& text);

// What those throw that have nothing better.
struct Failure : std::runtime_error {
  Failure(int32_t its_code, const std::string& text) : std::runtime_error(text), code(its_code) {}
  int32_t code;
};

// Frees the report. Throws the messages of all errors unless the code is OPSRUN_OK; `what` begins the text.
void Check(int32_t code, opsrun_report* report, const std::string& what);

}  // namespace opsrun_adapter
