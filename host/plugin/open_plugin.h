// host/plugin/open_plugin.h: one file, opened, asked, checked and parsed: all of it or nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "host/plugin/plugin.h"
#include "host/plugin/plugin_note.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

// The path of the file whose constructors or entry run now, or null: for a signal handler of the program that owns it.
using OpeningSlot = std::atomic<const char*>;

// Opens the file that `note` was read from. May be called by several threads: one file is opened at a time. opening:
// holds the path meanwhile; may be null.
std::optional<Refusal> OpenPlugin(const std::string& path, const PluginNote& note, const opsrun_host* host,
                                  OpeningSlot* opening, std::shared_ptr<const Plugin>* opened);

}  // namespace opsrun::host
