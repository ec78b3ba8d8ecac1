// adapters/common/failure.h: errors of opsrun, for adapters to convert to errors of their framework.
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

// Replaces bytes that are not valid UTF-8 by U+FFFD, since frameworks decode error messages as UTF-8.
std::string Utf8(const std::string& text);

// The failed subject as text: "input:x output:y" becomes "input x output y".
std::string Blame(std::string subject);

// Defined by each adapter: throws an exception that its framework, or its Python part, converts. code: OPSRUN_*, not
// OK.
[[noreturn]] void Throw(int32_t code, const std::string& text);

// The default exception type for Throw.
struct Failure : std::runtime_error {
  Failure(int32_t its_code, const std::string& text) : std::runtime_error(text), code(its_code) {}
  int32_t code;
};

// Frees the report. Unless the code is OPSRUN_OK, throws the messages of all errors; the text begins with `what`.
void Check(int32_t code, opsrun_report* report, const std::string& what);

}  // namespace opsrun_adapter
