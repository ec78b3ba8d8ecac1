// host/plugin/open_library.h: the door to the dynamic linker and to a plugin's first call.
//
// The only file that knows Boost.DLL. Exceptions, Boost's and the plugin's, stop here. What was opened stays open as
// long as the process lives. One caller at a time: the contract calls entries under the loader's lock, which is the
// caller's.
//
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "host/plugin/file_segments.h"
#include "host/plugin/plugin_note.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

struct OpenedLibrary {
  opsrun_entry_fn entry = nullptr;  // its own, not one of its dependencies
  FileSegments segments;
};

// path: absolute. needed: the libraries that the file names, for the message. This runs the library's static
// constructors.
std::optional<Refusal> OpenLibrary(const std::string& path, const std::vector<std::string>& needed,
                                   OpenedLibrary* library);

// Calls the entry. *table is what it returned: not NULL, and not checked in any other way.
std::optional<Refusal> CallEntry(opsrun_entry_fn entry, const opsrun_host* host, const opsrun_plugin** table);

}  // namespace opsrun::host
