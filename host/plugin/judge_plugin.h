// host/plugin/judge_plugin.h: everything that can be said of a plugin file without running its code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/elf/judge_library.h"
#include "host/plugin/read_notes.h"

namespace opsrun::host {

// Absolute and without links, which is how a file is opened: a bare name would be searched in the system's directories,
// and $ORIGIN means where the file really is.
std::string RealPath(const std::string& path);

// Why this process must not open the file, as far as its bytes and the libraries that it needs tell; or nothing.
std::optional<Refusal> RefuseToOpen(const std::string& path);

// The findings of all checks, with that of the notes first. Of a file that its notes refuse, nothing else is checked.
// look: of the file, which is a plugin or refused.
std::vector<Finding> JudgePlugin(const std::string& path, const FileLook& look, const LibrarySearch& search);

}  // namespace opsrun::host
