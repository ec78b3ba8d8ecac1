// host/base/process_state.h: state of the whole process that plugins must not change.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <string>

#include "host/base/plugin_code.h"

namespace opsrun::host {

// The floating-point mode and signal mask of the calling thread, the locale and the working directory at the time of
// construction. One thread at a time.
class ProcessState {
 public:
  ProcessState();
  ProcessState(const ProcessState&) = delete;
  ~ProcessState();

  // Restores what has changed since and returns its names: "the locale and the working directory"; empty if nothing has
  // changed.
  std::string Restore() const;

 private:
  const FloatingPointMode floats_;
  sigset_t signals_;
  std::string locale_;
  int directory_;  // a descriptor; -1 if it cannot be opened
};

}  // namespace opsrun::host
