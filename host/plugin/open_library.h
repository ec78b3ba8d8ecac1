// host/plugin/open_library.h: the interface to the dynamic linker and to a plugin's entry.
//
// Exceptions of the plugin are caught here. A library stays open as long as the process lives. One caller at a time: c_api.h requires that entries are called under the loader's
// lock, which the caller must hold.
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
  opsrun_entry_fn entry = nullptr;  // its own, not one of its dependencies
  FileSegments segments;
};

// path: absolute. needed: the libraries that the file names, for the message. This runs the library's static
// constructors. If one of them throws, the C library does not release the lock of the dynamic linker: other threads of
// the process must not load or look up anything any more.
std::optional<Refusal> OpenLibrary(const std::string& path, const std::vector<std::string>& needed,
                                   OpenedLibrary* library);

// Calls the entry. *table is its result: not NULL, but otherwise unchecked.
std::optional<Refusal> CallEntry(opsrun_entry_fn entry, const opsrun_host* host, const opsrun_plugin** table);

// Explains error messages of the dynamic linker. Pure.

// message: of dlerror, for the file `path`, which names the libraries `needed`.
Refusal ExplainLoaderMessage(std::string_view message, std::string_view path, const std::vector<std::string>& needed);

// Why the system does not map a library, which the dynamic linker does not say.

// message: of dlerror. Nothing if it is about something else. Maps the file again to learn the reason, so it must be
// asked in the process that failed. path: of the file that was to be opened; the message may name one that it needs.
std::optional<Refusal> WhyNotMapped(std::string_view message, const std::string& path);

}  // namespace opsrun::host
