// host/base/system_names.h: names of system errors and signals for messages, in lower case where a sentence needs it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string.h>

#include <string>
#include <system_error>

#include "host/base/characters.h"

namespace opsrun::host {

// "no such file or directory" for ENOENT.
inline std::string ErrnoText(int error) {
  std::string text = std::generic_category().message(error);
  if (!text.empty()) text[0] = Lower(text[0]);
  return text;
}

// "SIGSEGV"; "signal 40" if it has no name.
inline std::string SignalName(int number) {
  const char* name = sigabbrev_np(number);
  return name == nullptr ? "signal " + std::to_string(number) : std::string("SIG") + name;
}

}  // namespace opsrun::host
