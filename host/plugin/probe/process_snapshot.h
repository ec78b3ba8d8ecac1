// host/plugin/probe/process_snapshot.h: the state of this process that plugins must not change.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <set>
#include <string>
#include <vector>

#include "host/base/plugin_code.h"

namespace opsrun::host {

class ProcessSnapshot {
 public:
  ProcessSnapshot();

  // What has changed: "the locale", "the handler of SIGINT", "2 more threads" ... Restores what ProcessState can
  // restore.
  std::vector<std::string> Changes() const;

 private:
  const ProcessState state_;
  size_t threads_ = 0;
  std::set<std::string> descriptors_;
  std::vector<struct sigaction> handlers_;  // by signal
};

}  // namespace opsrun::host
