// host/plugin/open_plugin.h: one file, opened, asked, checked and parsed: all of it or nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "host/plugin/plugin_note.h"
#include "host/plugin/registry.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// Holds the path of the file whose constructors or entry run now, or null: a crash in them takes the whole program with
// it, so it is the program's signal handler that reads it. Of a program and not of a thread: a constructor may crash on
// a thread that it starts.
using OpeningSlot = std::atomic<const char*>;

// What one file brings. The `plugin` pointers inside are set by the registry.
struct OpenedPlugin {
  Plugin plugin;
  std::vector<RegisteredOp> ops;
  std::vector<RegisteredKernel> kernels;
  std::vector<std::string> dropped_ops;
  std::vector<std::string> messages;  // what was left out, a line each, without the path

  bool HasOp(std::string_view op) const;
  // A kernel for an op of that name.
  bool HasKernel(std::string_view op) const;
};

// Opens the file that `note` was read from. May be called by several threads: one file is opened at a time.
// opening: null if nobody wants to know.
std::optional<Refusal> OpenPlugin(const std::string& path, const PluginNote& note, const opsrun_host* host,
                                  OpeningSlot* opening, OpenedPlugin* opened);

}  // namespace opsrun::host
