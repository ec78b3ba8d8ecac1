// host/plugin/isolated_plugin.h: a plugin whose code runs in a process of its own (host/isolate): its table as bytes,
// and the plugin that this process makes of them. Its functions are there to be compared with null, not to be called.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "host/base/diagnostic.h"
#include "host/examine/plugin_note.h"
#include "host/isolate/child.h"
#include "host/plugin/load.h"
#include "host/plugin/plugin.h"

namespace opsrun::host {

// For the reply to IsolateRequest::kOpen. more: messages to add to those of the table.
std::string TableBytes(const PluginTable& table, const std::vector<std::string>& more = {});
// The reverse. False if the bytes are damaged, as a plugin can cause.
bool ReadTableBytes(std::string_view bytes, PluginTable* table);

// As OpenPlugin, in the child's process, which is started. The plugin keeps the child.
std::optional<Refusal> OpenIsolatedPlugin(const std::string& path, const PluginNote& note, const opsrun_host* host,
                                          std::shared_ptr<Child> child, std::shared_ptr<Plugin>* opened);

// True for the shape function of an op that runs in another process.
bool IsInChild(int32_t (*shape)(void*, opsrun_shape_call*));

}  // namespace opsrun::host
