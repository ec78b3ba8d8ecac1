// host/spec/spec_error.h: a mistake in a spec string, and how it is shown to the plugin's author.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace opsrun::host::spec {

// One mistake in one spec string. stage is "parse" (the string alone is refused) or "validate" (the op is); kind is a
// word such as "trailing", "unknown_attr", "duplicate_name": tests compare it.
struct SpecError {
  std::string stage;
  std::string kind;
  std::string what;     // "Attr", "Input", "Output", "ControlOutput", "Doc", "op"
  std::string spec;     // the string at fault
  size_t offset = 0;    // of the character at fault in spec
  std::string message;  // a sentence
};

// The sentences of several errors, each with its spec string and a caret, for a message about a plugin.
std::string SpecErrorsText(const std::string& op, const std::vector<SpecError>& errors);

}  // namespace opsrun::host::spec
