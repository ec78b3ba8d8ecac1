// host/examine/catalog.h: the plugin files in the search directories, of which only the notes are read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/status.h"
#include "host/examine/plugin_note.h"

namespace opsrun::host {

// A directory to search. Plugins in earlier directories hide those in later ones.
struct SearchedDirectory {
  std::string directory;
  std::string origin;     // "--plugins", "OPSRUN_PLUGIN_PATH", "default"
  bool required = false;  // named by the user: an error if it is missing
  bool of_user = false;   // below HOME: not searched if it belongs to another user
};

// The directories in order: `named` (--plugins), OPSRUN_PLUGIN_PATH, ~/.local/lib/opsrun, /usr/local/lib/opsrun,
// /usr/lib/opsrun, and ../lib/opsrun relative to the directory of the file that contains this code: the program, or
// libopsrun.so. The current directory is never searched. Empty entries of the variable are skipped; relative ones are
// used as they are. If use_defaults is false, only `named` is used.
std::vector<SearchedDirectory> SearchedDirectories(const std::vector<std::string>& named, bool use_defaults);

// True for names of files that searches look at: "*.so" without a dot in front.
bool IsPluginFileName(std::string_view name);

// A file that is an opsrun plugin, or too damaged to tell.
struct CatalogEntry {
  std::string path;
  size_t place = 0;  // index into Catalog::places
  PluginNote note;
  std::optional<Refusal> refusal;  // why it is not used
  std::string hidden_by;           // path of the file in an earlier directory that has the same plugin name, or empty

  bool usable() const { return !refusal && hidden_by.empty(); }
  // Refused before its notes were read: the ops that it has are unknown.
  bool is_unknown() const { return refusal && note.units.empty() && note.ops.empty(); }
  // True if an OP note names `op`.
  bool Claims(std::string_view op) const;
};

// Two files in one directory that claim the same op or plugin name.
struct Conflict {
  std::string what;  // "op 'ZeroOut'", "plugin 'images'"
  std::string name;  // "ZeroOut"
  std::vector<size_t> entries;
};

// An op as a graph names it: "ZeroOut", or "images.ZeroOut" to select a plugin.
struct OpRequest {
  std::string text;
  std::string plugin;  // empty: any visible plugin
  std::string op;
};

// Splits the text at the last dot.
OpRequest ParseOpRequest(const std::string& text);

// All available plugins. Read-only after construction.
struct Catalog {
  std::vector<SearchedDirectory> places;
  std::vector<CatalogEntry> entries;                   // ordered by place, then by path
  std::vector<std::string> others;                     // shared libraries that are no plugins
  std::vector<Conflict> conflicts;                     // within a directory; an error if a graph needs the name
  std::vector<std::string> messages;                   // for stderr, one line each: "plugin 'images': a.so hides b.so"
  std::multimap<std::string, std::string> hidden_ops;  // by op, for users of it: "op 'X' of a.so hides the one of b.so"
  std::vector<Status> missing_places;                  // required directories that do not exist

  // The usable entries that claim `op` in their OP notes, the visible one first. There are several only if there is a
  // conflict within a directory.
  std::vector<size_t> ClaimantsOf(const std::string& op) const;
  // The same for an op of a named plugin; includes all plugins of that name.
  std::vector<size_t> ClaimantsOf(const OpRequest& wanted) const;
  // The usable entries named `plugin`. There are several only if there is a conflict within a directory.
  std::vector<size_t> EntriesNamed(const std::string& plugin) const;
  // Refused entries that claim `op`.
  std::vector<size_t> RefusedClaimantsOf(const std::string& op) const;
  // All op names that usable plugins claim, sorted, without duplicates.
  std::vector<std::string> OpNames() const;
  std::vector<std::string> PluginNames() const;
};

// The catalog as if the notes of these entries had been refused: without what they claim and hide. Indices do not
// change.
Catalog WithoutRefused(Catalog catalog, const std::vector<std::pair<size_t, Refusal>>& refused);

// Reads the notes of every file in the directories whose name IsPluginFileName accepts, without opening any. A file
// that is found twice (through a link, or a directory named twice) counts only at its first place.
Catalog ReadCatalog(const std::vector<SearchedDirectory>& places, const LookOptions& options = {});

}  // namespace opsrun::host
