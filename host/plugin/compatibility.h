// host/plugin/compatibility.h: may this plugin be opened by this host? Pure functions that phrase the refusal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "host/plugin/plugin_note.h"

namespace opsrun::host {

// Nothing if the plugin fits. Checks: a PLUGIN note is there, min_level <= ours (both numbers named), each fingerprint
// equal (the struct named), sanitizers that this host has too.
std::optional<Refusal> CheckCompatible(const PluginNote& note);

}  // namespace opsrun::host
