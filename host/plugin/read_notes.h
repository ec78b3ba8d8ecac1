// host/plugin/read_notes.h: the look at a plugin file before it is opened.
//
// Reads the ELF header, the program headers, the notes of .note.opsrun and the dynamic section with pread, each offset
// checked against the size of the file: damaged files are an answer, not a crash.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "host/plugin/plugin_note.h"

namespace opsrun::host {

struct FileLook {
  enum class Kind {
    kNotOurs,  // no note of ours, or no shared library at all: passed over quietly
    kRefused,  // ours, or damaged so that nobody can tell; see refusal
    kPlugin,   // fits this host; may be opened
  };
  Kind kind = Kind::kNotOurs;
  PluginNote note;  // what could be read; names the ops that a refused file claims
  Refusal refusal;  // of kRefused; of kNotOurs why it is not, for someone who asks about this very file
};

// Looks at one file and decides whether this host can open it.
FileLook LookAtFile(const std::string& path);

// The same for bytes in memory, for tests and fuzzers. stem: the name of a plugin without a NAME note.
FileLook LookAtBytes(const std::string& bytes, const std::string& stem);

}  // namespace opsrun::host
