// host/plugin/note_content.h: parses the content of notes. Pure functions over bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "host/elf/elf_file.h"
#include "host/plugin/plugin_note.h"

namespace opsrun::host {

// The content of a PLUGIN note; nothing if it is shorter than that of level 1, or states a shorter size.
std::optional<UnitNote> ParseUnitNote(std::string_view content);

// The content of a KERNEL note other than "*"; nothing if it is malformed.
std::optional<KernelNote> ParseKernelNote(std::string_view content);

// Adds the content of the notes to *note, which holds the default name. Returns the first error, and still fills in
// what is readable, so that the ops of a refused file are known.
std::optional<Refusal> CollectNotes(const ElfNotes& notes, PluginNote* note);

}  // namespace opsrun::host
