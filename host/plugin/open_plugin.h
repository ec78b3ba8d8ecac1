// host/plugin/open_plugin.h: opens, checks and parses one file: completely or not at all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "host/plugin/plugin.h"
#include "host/plugin/plugin_note.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// Opens the file that `note` was read from. Several threads may call it: one file is opened at a time. Changes that the
// plugin makes to the calling thread, such as its signal mask, are reverted and reported in the plugin's messages.
// The file was judged before (JudgeLibrary). begin: told before code of the plugin runs; may be empty.
std::optional<Refusal> OpenPlugin(const std::string& path, const PluginNote& note, const opsrun_host* host,
                                  std::shared_ptr<const Plugin>* opened,
                                  const std::function<void(PluginPhase)>& begin = {});

}  // namespace opsrun::host
