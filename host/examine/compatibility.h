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

// Nothing if the plugin is compatible. Checks that there is a PLUGIN note, that its min_level is at most host_level
// (the message has both), that all fingerprints are equal (the message names the struct), and that this host has the
// same sanitizers.
std::optional<Refusal> CheckCompatible(const PluginNote& note, uint32_t host_level);

// The absolute path without links, by which files are opened: a bare name would be searched for in the system's
// directories, and $ORIGIN refers to the directory of the real file.
std::string RealPath(const std::string& path);

// Why this process must not open the file, judging by its bytes and the libraries that it needs; or nothing.
std::optional<Refusal> RefuseToOpen(const std::string& path);

// The findings of all checks, that of the notes first. If the notes are refused, nothing else is checked. look: the
// result for this file, which is a plugin or refused.
std::vector<Finding> JudgePlugin(const std::string& path, const FileLook& look, const LibrarySearch& search);

// The error for a refused plugin file that the user named: P104, or D100 if the only problem is a lack of memory.
Diagnostic RefusedFile(const std::string& file, const Refusal& refusal);

}  // namespace opsrun::host
