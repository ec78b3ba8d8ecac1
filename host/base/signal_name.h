// host/base/signal_name.h: the names of signals in messages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string.h>

#include <string>

namespace opsrun::host {

// "SIGSEGV"; "signal 40" for one without a name.
inline std::string SignalName(int number) {
  const char* name = sigabbrev_np(number);
  return name == nullptr ? "signal " + std::to_string(number) : std::string("SIG") + name;
}

}  // namespace opsrun::host
