// host/cli/replay.h: --repro-dir, and runs of the folders that it writes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/cli/console.h"
#include "host/cli/options.h"
#include "host/plugin/plugin.h"
#include "host/run/lane.h"

namespace opsrun::host {

// --repro-dir DIR
void AddReproDir(Options& options, GraphOptions& graph);
// False after an error (U005): DIR cannot be written, or has something in it.
bool OpenReproDir(GraphOptions& graph, Console& console);
// After runs without a failure.
void NoteNoRepro(const GraphOptions& graph, Console& console);

// Writes the first node that runs on the lanes, which did not end in time, and mentions it. From any thread.
void KeepStuck(const LanePool& lanes, Diagnostic& d);

// The folder that `opsrun run` replays.
class Replay {
 public:
  // If the graph is a folder: its graph.yaml instead, and the folders of the plugins that failed after those of
  // --plugins.
  Replay(GraphOptions& graph, CommonOptions& common);

  // Warns of plugins that have changed since. Once the plugins are open.
  void Compare(const Registry& registry, Console& console) const;

 private:
  struct PluginThen {
    std::string name, version, digest;
  };
  std::vector<PluginThen> plugins_;
};

// --debugger: replaces this program by gdb or lldb, which starts it with the same words, but without isolation: code
// of plugins then runs in the program that is debugged. Returns only after an error (U005), with the exit status.
int StartDebugger(Console& console);

}  // namespace opsrun::host
