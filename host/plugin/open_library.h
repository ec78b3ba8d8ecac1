// host/plugin/open_library.h: the interface to the dynamic linker and to a plugin's entry.
//
// Exceptions of the plugin are caught here. Libraries are never closed. The
// caller must hold a lock: c_api.h requires that entries are called one at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/diagnostic.h"
#include "host/examine/plugin_note.h"
#include "host/plugin/plugin.h"
#include "opsrun/c_api.h"

namespace opsrun::host {

struct OpenedLibrary {
  opsrun_entry_fn entry = nullptr;  // its own, not that of a dependency
  FileSegments segments;
};

// path: absolute. needed: the libraries that the file names, for messages. Runs the library's static constructors. If
// one of them throws, the C library does not release the dynamic linker's lock: other threads of the process must not
// load libraries or look up symbols any more.
std::optional<Refusal> OpenLibrary(const std::string& path, const std::vector<std::string>& needed,
                                   OpenedLibrary* library);

// Calls the entry. *table is its result, which is not NULL but otherwise unchecked.
std::optional<Refusal> CallEntry(opsrun_entry_fn entry, const opsrun_host* host, const opsrun_plugin** table);

// Explains an error message of the dynamic linker. message: from dlerror, for the file `path`, which needs the
// libraries `needed`. Pure.
Refusal ExplainLoaderMessage(std::string_view message, std::string_view path, const std::vector<std::string>& needed);

}  // namespace opsrun::host
