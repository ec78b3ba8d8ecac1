// host/examine/read_notes.h: examines a plugin file before it is opened.
//
// Reads the ELF header, the program headers, the notes of .note.opsrun and the dynamic section with pread. Each offset
// is checked against the file size, so damaged files are reported instead of causing a crash.
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
    kNotOurs,     // a shared library without an opsrun note: skipped without a message
    kNotLibrary,  // cannot be loaded; see refusal
    kRefused,     // an opsrun plugin, or so damaged that it may be one; see refusal
    kPlugin,      // compatible with this host; may be opened
  };
  Kind kind = Kind::kNotOurs;
  PluginNote note;  // what could be read; has the ops that a refused file claims
  Refusal refusal;  // unless kPlugin; that of kNotOurs is for commands about this file
};

// Examines one file and decides whether a host of this level can open it.
FileLook LookAtFile(const std::string& path, uint32_t host_level = OPSRUN_LEVEL);

// For tests and fuzzers: the same for bytes in memory. stem: the name of a plugin without a NAME note.
FileLook LookAtBytes(const std::string& bytes, const std::string& stem);

}  // namespace opsrun::host
