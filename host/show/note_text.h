// host/show/note_text.h: what a plugin file says of itself, as text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/plugin/plugin_note.h"

namespace opsrun::host {

// Name, version, level, SDK, compiler, CUDA, needed libraries, ops with their kernels: a line each. Lines about what is
// not there are left out.
std::string NoteText(const PluginNote& note);

}  // namespace opsrun::host
