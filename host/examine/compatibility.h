// host/examine/compatibility.h: checks whether this host can open a plugin. Pure functions that create the refusal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/examine/judge_library.h"
#include "host/examine/plugin_note.h"
#include "host/examine/read_notes.h"

namespace opsrun::host {

// Nothing if the plugin is compatible. Checks: there is a PLUGIN note, min_level <= ours (the message has both
// numbers), each fingerprint is equal (the message names the struct), and this host has the same sanitizers.
std::optional<Refusal> CheckCompatible(const PluginNote& note, uint32_t host_level);

// Everything that can be said of a plugin file without running its code.

// Absolute and without links, which is how a file is opened: a bare name would be searched in the system's directories,
// and $ORIGIN means where the file really is.
std::string RealPath(const std::string& path);

// Why this process must not open the file, as far as its bytes and the libraries that it needs tell; or nothing.
std::optional<Refusal> RefuseToOpen(const std::string& path);

// The findings of all checks, with that of the notes first. Of a file that its notes refuse, nothing else is checked.
// look: of the file, which is a plugin or refused.
std::vector<Finding> JudgePlugin(const std::string& path, const FileLook& look, const LibrarySearch& search);

// That a plugin file which somebody names is refused.

// P104, or D100 if nothing but memory is missing.
Diagnostic RefusedFile(const std::string& file, const Refusal& refusal);

}  // namespace opsrun::host
