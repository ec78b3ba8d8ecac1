// host/cli/open_engine.h: creates the engine of a command from its options.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "host/cli/console.h"
#include "host/cli/shared_options.h"
#include "host/engine/engine.h"
#include "host/examine/compatibility.h"

namespace opsrun::host {

// Writes remarks about plugins to the console. Null after an error, which is already reported; the command then ends
// with kExitPlugins. options, callers: for a command that runs graphs; callers is the number of concurrent runs.
std::shared_ptr<Engine> OpenEngine(const CommonOptions& common, Console& console, const GraphOptions& options = {},
                                   int callers = 1);

// "2 plugins refused", or empty: a hint for users who cannot find an op.
std::string RefusedText(const Catalog& catalog);

// Opens a plugin by the name of its file.

// An opened plugin file, besides the installed plugins.
struct PluginOfFile {
  std::shared_ptr<Engine> engine;
  LoadResult loaded;               // its ops; uses the engine
  const Plugin* plugin = nullptr;  // null if it could not be opened
  std::string reason;              // the reason, if known
};

// Opens the file. Its directory comes before all others, so that no installed plugin with the same name or the same ops
// replaces it. Reports nothing: errors in a file are reported where files are judged.
PluginOfFile OpenPluginOfFile(const std::string& file, const CommonOptions& common);

// Error P103 for a file whose plugin could not be opened.
Diagnostic CannotOpen(const std::string& file, const PluginOfFile& opened);

// The directory of the file; "." if its path has none.
std::string DirectoryOf(const std::string& file);

// The GPUs of this machine.

// Returns a function that loads the CUDA driver on its first call and caches the result. Without a driver, no cards.
GpuCards GpuCardsHere();

}  // namespace opsrun::host
