// host/plugin/open_plugin.h: opens, checks and parses one file: completely or not at all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "host/plugin/plugin.h"
#include "host/plugin/plugin_note.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// Opens the file that `note` was read from. Several threads may call it: one file is opened at a time. Changes that the
// plugin makes to the calling thread, such as its signal mask, are reverted and reported in the plugin's messages.
std::optional<Refusal> OpenPlugin(const std::string& path, const PluginNote& note, const opsrun_host* host,
                                  std::shared_ptr<const Plugin>* opened);

}  // namespace opsrun::host
