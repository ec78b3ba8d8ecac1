// host/examine/read_notes.h: examines a plugin file before it is opened.
//
// Reads the ELF header, the program headers, the notes of .note.opsrun and the dynamic section with pread. Each offset
// is checked against the size of the file, so damaged files are reported and do not cause a crash.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "host/examine/plugin_note.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

struct FileLook {
  enum class Kind {
    kNotOurs,     // a shared library without a note of opsrun: skipped without a message
    kNotLibrary,  // nothing that could be loaded; see refusal
    kRefused,     // an opsrun plugin, or so damaged that this is unknown; see refusal
    kPlugin,      // compatible with this host; may be opened
  };
  Kind kind = Kind::kNotOurs;
  PluginNote note;  // what could be read; names the ops that a refused file claims
  Refusal refusal;  // of all but kPlugin; of kNotOurs for commands about this one file
};

// Examines one file and decides whether a host of this level can open it.
FileLook LookAtFile(const std::string& path, uint32_t host_level = OPSRUN_LEVEL);

// The same for bytes in memory, for tests and fuzzers. stem: the name of a plugin without a NAME note.
FileLook LookAtBytes(const std::string& bytes, const std::string& stem);

}  // namespace opsrun::host
