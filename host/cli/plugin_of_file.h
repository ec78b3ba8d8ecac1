// host/cli/plugin_of_file.h: a plugin that is named by its file, open.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/cli/console.h"
#include "host/cli/shared_options.h"
#include "host/engine/engine.h"

namespace opsrun::host {

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

}  // namespace opsrun::host
