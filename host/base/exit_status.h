// host/base/exit_status.h: how the program ends. Never renumbered. A signal n that ends it gives 128 + n.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace opsrun::host {

enum ExitStatus : int {
  kExitOk = 0,
  kExitFailed = 1,  // the work was begun, and the answer is no: an op or a check failed, an output could not be written
  kExitUsage = 2,   // the command line
  kExitGraph = 3,   // the graph, or what it asks of accepted plugins
  kExitPlugins = 4,  // a plugin is missing or refused
  kExitDevice = 5,   // device or memory
  kExitTimeout = 6,
  kExitBug = 70,      // in opsrun
  kExitSignal = 128,  // and the number of the signal
  kExitBrokenPipe = kExitSignal + 13,
};

}  // namespace opsrun::host
