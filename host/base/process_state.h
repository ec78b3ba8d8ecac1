// host/base/process_state.h: what belongs to the whole process and what a plugin must leave as it is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <string>

#include "host/base/plugin_code.h"

namespace opsrun::host {

// The floating-point mode and the signal mask of the calling thread, the locale and the working directory, as they are
// when it is made. One thread at a time.
class ProcessState {
 public:
  ProcessState();
  ProcessState(const ProcessState&) = delete;
  ~ProcessState();

  // Sets back what has changed since, and names it: "the locale and the working directory"; empty if nothing has.
  std::string Restore() const;

 private:
  const FloatingPointMode floats_;
  sigset_t signals_;
  std::string locale_;
  int directory_;  // a descriptor; -1 if it cannot be opened
};

}  // namespace opsrun::host
