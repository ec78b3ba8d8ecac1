// host/base/process_state.h: what a plugin must leave as it is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "host/base/plugin_code.h"

namespace opsrun::host {

// The floating-point mode and the signal mask of the calling thread, as they are when it is made.
class ThreadState {
 public:
  ThreadState();

  // Restores what has changed since, and names it: "the signal mask"; empty if nothing has.
  std::string Restore() const;

 private:
  const FloatingPointMode floats_;
  sigset_t signals_;
};

// The same, and what belongs to the whole process: locale, working directory, mode of new files, resource limits and
// timers, through which one plugin could make another one fail. For programs that own their process; other threads must
// not change them meanwhile.
class ProcessState {
 public:
  ProcessState();
  ProcessState(const ProcessState&) = delete;
  ~ProcessState();

  // As of ThreadState. What cannot be restored is not named.
  std::string Restore() const;

 private:
  const ThreadState thread_;
  const std::optional<mode_t> umask_;  // unknown without /proc
  const std::vector<rlimit> limits_;   // by number
  const std::vector<bool> timers_;     // by number: whether it runs
  std::string locale_;
  int directory_;  // a descriptor; -1 if it cannot be opened
};

}  // namespace opsrun::host
