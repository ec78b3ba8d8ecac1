// host/cli/exit_code.h: how the program ends. Never renumbered. A signal n that ends it gives 128 + n.
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
  kExitBug = 70,  // in opsrun
  kExitBrokenPipe = 128 + 13,
};

}  // namespace opsrun::host
