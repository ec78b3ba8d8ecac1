// host/plugin/compatibility.h: checks whether this host can open a plugin. Pure functions that create the refusal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "host/plugin/plugin_note.h"

namespace opsrun::host {

// Nothing if the plugin is compatible. Checks: there is a PLUGIN note, min_level <= ours (the message has both
// numbers), each fingerprint is equal (the message names the struct), and this host has the same sanitizers.
std::optional<Refusal> CheckCompatible(const PluginNote& note, uint32_t host_level);

}  // namespace opsrun::host
