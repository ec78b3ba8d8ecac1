// host/base/exit_status.h: the exit status of the program. The numbers never change. If signal n ends the program, the
// status is 128 + n.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace opsrun::host {

enum ExitStatus : int {
  kExitOk = 0,
  kExitFailed = 1,   // the command ran and failed: an op or a check failed, or an output was not written
  kExitUsage = 2,    // the command line
  kExitGraph = 3,    // the graph, or what it requires of accepted plugins
  kExitPlugins = 4,  // a plugin is missing or refused
  kExitDevice = 5,   // device or memory
  kExitTimeout = 6,
  kExitBug = 70,      // an internal error
  kExitSignal = 128,  // plus the number of the signal
  kExitBrokenPipe = kExitSignal + 13,
};

}  // namespace opsrun::host
