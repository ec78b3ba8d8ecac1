// host/plugin/open_plugin.h: one file, opened, asked, checked and parsed: all of it or nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "host/plugin/plugin.h"
#include "host/plugin/plugin_note.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// Opens the file that `note` was read from. May be called by several threads: one file is opened at a time. What the
// plugin changes of the process, such as the locale, is set back and told in the plugin's messages.
std::optional<Refusal> OpenPlugin(const std::string& path, const PluginNote& note, const opsrun_host* host,
                                  std::shared_ptr<const Plugin>* opened);

}  // namespace opsrun::host
