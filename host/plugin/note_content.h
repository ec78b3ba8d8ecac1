// host/plugin/note_content.h: what stands in one note. Pure functions over bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "host/plugin/elf_file.h"
#include "host/plugin/plugin_note.h"

namespace opsrun::host {

// The content of a PLUGIN note; nothing if it is shorter than level 1's, or says so.
std::optional<UnitNote> ParseUnitNote(std::string_view content);

// The content of a KERNEL note other than "*"; nothing if it is malformed.
std::optional<KernelNote> ParseKernelNote(std::string_view content);

// Adds what the notes say to *note, which holds the name to use if they give none. Answers the first thing that is
// wrong with them, and fills in what could be read all the same: a refused file's ops are named.
std::optional<Refusal> CollectNotes(const ElfNotes& notes, PluginNote* note);

}  // namespace opsrun::host
