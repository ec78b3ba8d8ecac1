// host/cli/installed_plugins.h: the plugins that a command works with, found and opened, with everything there is to
// say about it.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/cli/command_line.h"
#include "host/cli/console.h"
#include "host/plugin/catalog.h"
#include "host/plugin/load.h"

namespace opsrun::host {

// The catalog of the plugin places. Nothing, after an error (P101), if a directory that the user named cannot be
// searched: the command ends with kExitPlugins.
std::optional<Catalog> FindPlugins(const CommonOptions& common, Console& console);

// Opens what `op_names` need. At most once in a process: the entry of a plugin is called once per host.
LoadResult OpenPlugins(const Catalog& catalog, const std::vector<std::string>& op_names, const opsrun_host* host,
                       const CommonOptions& common, Console& console);

// Opens all that can be used. Instead of OpenPlugins.
LoadResult OpenAllPlugins(const Catalog& catalog, const opsrun_host* host, const CommonOptions& common,
                          Console& console);

// "2 plugins refused", or empty: for people who miss what is in them.
std::string RefusedText(const Catalog& catalog);

}  // namespace opsrun::host
