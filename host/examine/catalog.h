// host/examine/catalog.h: the plugin files in the search directories, read from their notes only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/status.h"
#include "host/examine/plugin_note.h"

namespace opsrun::host {

// A directory to search. Earlier ones hide later ones.
struct PluginPlace {
  std::string directory;
  std::string origin;     // "--plugins", "OPSRUN_PLUGIN_PATH", "default"
  bool required = false;  // named by the user: it is an error if it is missing
  bool of_user = false;   // below HOME: not searched if it belongs to somebody else
};

// The places in order: `named` (--plugins), OPSRUN_PLUGIN_PATH, ~/.local/lib/opsrun, /usr/local/lib/opsrun,
// /usr/lib/opsrun, and ../lib/opsrun relative to the directory of the file that contains this code: the program, or
// libopsrun.so. The current directory is never searched. Empty entries of the variable are skipped, relative ones are
// used as they are. If use_defaults is false, only `named` is used.
std::vector<PluginPlace> PluginPlaces(const std::vector<std::string>& named, bool use_defaults);

// One file that is an opsrun plugin, or whose content leaves open whether it should be one.
struct CatalogEntry {
  std::string path;
  size_t place = 0;  // index into Catalog::places
  PluginNote note;
  std::optional<Refusal> refusal;  // it is not used
  std::string hidden_by;           // path of the file in an earlier place that has the same plugin name, or empty

  bool usable() const { return !refusal && hidden_by.empty(); }
  // Refused without a look at its notes: nobody knows which ops it has.
  bool is_unknown() const { return refusal && note.units.empty() && note.ops.empty(); }
  // True if an OP note names it.
  bool Claims(std::string_view op) const;
};

// Two files in one place that claim one op or one plugin name.
struct Conflict {
  std::string what;  // "op 'ZeroOut'", "plugin 'images'"
  std::string name;  // "ZeroOut"
  bool is_plugin = false;
  std::vector<size_t> entries;
};

// An op as a graph names it: "ZeroOut", or "images.ZeroOut" to select a plugin.
struct OpRequest {
  std::string text;
  std::string plugin;  // empty: any visible plugin
  std::string op;
};

// Split at the last dot.
OpRequest ParseOpRequest(const std::string& text);

// All available plugins. Read-only after construction.
struct Catalog {
  std::vector<PluginPlace> places;
  std::vector<CatalogEntry> entries;   // in order of place, then of path
  std::vector<Conflict> conflicts;     // in one place; an error when a graph needs the name
  std::vector<std::string> messages;   // "op 'X' of a.so hides the one of b.so": one line each for stderr
  std::vector<Status> missing_places;  // required directories that do not exist

  // The usable entries that claim `op` in their OP notes, the visible one first. More than one only if there is a
  // conflict in one place.
  std::vector<size_t> ClaimantsOf(const std::string& op) const;
  // The same for an op of a named plugin; if several plugins have that name, all of them.
  std::vector<size_t> ClaimantsOf(const OpRequest& wanted) const;
  // The usable entries named `plugin`. More than one only if there is a conflict in one place.
  std::vector<size_t> EntriesNamed(const std::string& plugin) const;
  // Refused entries that claim it.
  std::vector<size_t> RefusedClaimantsOf(const std::string& op) const;
  // Every op name that usable plugins claim, sorted, without duplicates.
  std::vector<std::string> OpNames() const;
  // The names of all usable plugins.
  std::vector<std::string> PluginNames() const;
};

// The catalog without what these entries claim and hide, as if their notes had refused them. The indices stay.
Catalog WithoutRefused(Catalog catalog, const std::vector<std::pair<size_t, Refusal>>& refused);

// Reads every file named *.so in the places, and opens none. Hidden files (names that begin with a dot) are skipped. A
// file that is found twice (through a link, or a directory named twice) counts once, at the first place. host_level:
// the level that plugins may require.
Catalog ReadCatalog(const std::vector<PluginPlace>& places, uint32_t host_level = OPSRUN_LEVEL);

}  // namespace opsrun::host
