// host/cli/open_engine.h: creates the engine of a command from its options.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/cli/console.h"
#include "host/cli/shared_options.h"
#include "host/engine/engine.h"
#include "host/examine/fat_binary.h"

namespace opsrun::host {

// Remarks about plugins are written to the console. Null after an error, which is already reported: the command ends
// with kExitPlugins. options, callers: for a command that runs graphs; callers is the number of runs at the same time.
std::shared_ptr<Engine> OpenEngine(const CommonOptions& common, Console& console, const GraphOptions& options = {},
                                   int callers = 1);

// "2 plugins refused", or empty: a hint for users who do not find an op.
std::string RefusedText(const Catalog& catalog);

// A plugin that is named by its file, open.

// An open plugin file, beside the installed plugins.
struct PluginOfFile {
  std::shared_ptr<Engine> engine;
  LoadResult loaded;               // its ops; uses the engine
  const Plugin* plugin = nullptr;  // null: it was not opened
  std::string reason;              // why not, if that is known
};

// Opens the file. Its directory comes before all others, so that neither an installed version of the plugin nor one
// with ops of the same names takes its place. Says nothing: what is wrong with a file is reported by those who judge
// it.
PluginOfFile OpenPluginOfFile(const std::string& file, const CommonOptions& common);

// The directory that the file is in: ".", if its path names none.
std::string DirectoryOf(const std::string& file);

// The graphics cards of this machine.

// Loads the CUDA driver at the first call of the result, which remembers the answer. No cards without a driver.
GpuCards GpuCardsHere();

}  // namespace opsrun::host
