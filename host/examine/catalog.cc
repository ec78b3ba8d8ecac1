// host/examine/catalog.cc: the files, and which of them hide others.
// SPDX-License-Identifier: Apache-2.0
#include "host/examine/catalog.h"

#include <dirent.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <set>

#include "host/base/display_text.h"
#include "host/base/environment.h"
#include "host/base/file.h"
#include "host/base/text.h"

namespace opsrun::host {
namespace {

using FileId = std::pair<dev_t, ino_t>;
using EntriesByName = std::map<std::string_view, std::vector<size_t>>;

// HOME may be the directory of another user, as in a root shell, or /tmp, where others can create missing directories.
bool BelongsToOthers(int directory) {
  struct stat status = {};
  return fstat(directory, &status) != 0 || (status.st_uid != geteuid() && status.st_uid != 0);
}

// Lists the file names of possible plugins, sorted. On failure, says why the directory is not searched. Throws
// std::bad_alloc.
Status ListDirectory(const SearchedDirectory& place, std::vector<std::string>* names) {
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(opendir(place.directory.c_str()), closedir);
  if (stream == nullptr && errno == ENOMEM) throw std::bad_alloc();
  if (stream == nullptr)
    return errno == ENOENT ? NotFound("there is no such directory") : FailedPrecondition(ErrnoText(errno));
  if (place.of_user && BelongsToOthers(dirfd(stream.get())))
    return FailedPrecondition("it belongs to another user; to use it, name it in OPSRUN_PLUGIN_PATH");
  errno = 0;
  while (const dirent* entry = readdir(stream.get())) {
    if (IsPluginFileName(entry->d_name)) names->emplace_back(entry->d_name);
  }
  std::sort(names->begin(), names->end());
  return errno == 0 ? OkStatus() : FailedPrecondition(ErrnoText(errno));
}

void NoteMissingPlace(const SearchedDirectory& place, const Status& why, Catalog* catalog) {
  const bool absent = why.code() == OPSRUN_NOT_FOUND;
  // The message does not name --plugins: a required directory may come from another caller than the command line.
  std::string sentence =
      place.origin == "OPSRUN_PLUGIN_PATH"
          ? fmt::format("{} names '{}', which cannot be searched: {}", place.origin, place.directory, why.message())
          : fmt::format("the plugin directory '{}' cannot be searched: {}", place.directory, why.message());
  if (place.required) {
    catalog->missing_places.push_back(absent ? NotFound(sentence) : FailedPrecondition(sentence));
  } else if (!absent || place.origin != "default") {
    catalog->messages.push_back(std::move(sentence));
  }
}

void AddFile(const std::string& path, size_t place, const LookOptions& options, Catalog* catalog) {
  FileLook look = LookAtFile(path, options);
  if (look.kind == FileLook::Kind::kNotOurs) return catalog->others.push_back(path);
  CatalogEntry& entry = catalog->entries.emplace_back();
  entry.path = path;
  entry.place = place;
  entry.note = std::move(look.note);
  if (look.kind != FileLook::Kind::kPlugin) entry.refusal = std::move(look.refusal);
}

void ReadPlace(size_t place, const LookOptions& options, std::set<FileId>* seen, Catalog* catalog) {
  const std::string& directory = catalog->places[place].directory;
  std::vector<std::string> names;
  if (const Status status = ListDirectory(catalog->places[place], &names); !status.ok())
    return NoteMissingPlace(catalog->places[place], status, catalog);
  for (const std::string& name : names) {
    std::string path = directory.ends_with('/') ? directory + name : directory + '/' + name;
    struct stat status;
    bool known = stat(path.c_str(), &status) == 0;
    if (known && !seen->insert({status.st_dev, status.st_ino}).second) continue;
    AddFile(path, place, options, catalog);
  }
}

// Entries in the directory of the first claimant are visible; several of them are a conflict. Calls `hide` for each of
// the other entries. Requires: claimants are in order.
void Rank(const std::vector<size_t>& claimants, const std::string& kind, std::string_view name, Catalog* catalog,
          const std::function<void(size_t first, size_t hidden)>& hide) {
  const size_t first = claimants.front();
  std::vector<size_t> equals;
  for (size_t entry : claimants) {
    if (catalog->entries[entry].place == catalog->entries[first].place) {
      equals.push_back(entry);
    } else {
      hide(first, entry);
    }
  }
  if (equals.size() < 2) return;
  catalog->conflicts.push_back({fmt::format("{} '{}'", kind, name), std::string(name), std::move(equals)});
}

void HidePlugins(Catalog* catalog) {
  EntriesByName by_name;
  for (size_t i = 0; i < catalog->entries.size(); ++i) {
    if (catalog->entries[i].usable()) by_name[catalog->entries[i].note.name].push_back(i);
  }
  for (const auto& [name, claimants] : by_name) {
    Rank(claimants, "plugin", name, catalog, [&, plugin = name](size_t first, size_t hidden) {
      catalog->entries[hidden].hidden_by = catalog->entries[first].path;
      catalog->messages.push_back(
          fmt::format("plugin '{}': {} hides {}", plugin, catalog->entries[first].path, catalog->entries[hidden].path));
    });
  }
}

void HideOps(Catalog* catalog) {
  EntriesByName by_op;
  for (size_t i = 0; i < catalog->entries.size(); ++i) {
    if (!catalog->entries[i].usable()) continue;
    for (const std::string& op : catalog->entries[i].note.ops) by_op[op].push_back(i);
  }
  for (const auto& [name, claimants] : by_op) {
    Rank(claimants, "op", name, catalog, [&, op = name](size_t first, size_t hidden) {
      catalog->hidden_ops.emplace(op, fmt::format("op '{}' of {} hides the one of {}", op, catalog->entries[first].path,
                                                  catalog->entries[hidden].path));
    });
  }
}

}  // namespace

bool IsPluginFileName(std::string_view name) {
  return name.front() != '.' && name.ends_with(".so");
}

bool CatalogEntry::Claims(std::string_view op) const {
  return std::binary_search(note.ops.begin(), note.ops.end(), op);
}

std::vector<size_t> Catalog::ClaimantsOf(const std::string& op) const {
  std::vector<size_t> claimants;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (!entries[i].usable() || !entries[i].Claims(op)) continue;
    if (!claimants.empty() && entries[claimants.front()].place != entries[i].place) break;
    claimants.push_back(i);
  }
  return claimants;
}

std::vector<size_t> Catalog::ClaimantsOf(const OpRequest& wanted) const {
  if (wanted.plugin.empty()) return ClaimantsOf(wanted.op);
  std::vector<size_t> named = EntriesNamed(wanted.plugin);
  const bool one = named.size() == 1;
  if (one && !entries[named.front()].Claims(wanted.op)) named.clear();
  return named;
}

std::vector<size_t> Catalog::EntriesNamed(const std::string& plugin) const {
  std::vector<size_t> named;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].usable() && entries[i].note.name == plugin) named.push_back(i);
  }
  return named;
}

std::vector<size_t> Catalog::RefusedClaimantsOf(const std::string& op) const {
  std::vector<size_t> claimants;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i].refusal && entries[i].Claims(op)) claimants.push_back(i);
  }
  return claimants;
}

std::vector<std::string> Catalog::OpNames() const {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : entries) {
    if (entry.usable()) names.insert(names.end(), entry.note.ops.begin(), entry.note.ops.end());
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<std::string> Catalog::PluginNames() const {
  std::vector<std::string> names;
  for (const CatalogEntry& entry : entries) {
    if (entry.usable()) names.push_back(entry.note.name);
  }
  return names;
}

OpRequest ParseOpRequest(const std::string& text) {
  const size_t dot = text.rfind('.');
  if (dot == std::string::npos) return {text, "", text};
  return {text, text.substr(0, dot), text.substr(dot + 1)};
}

Catalog WithoutRefused(Catalog catalog, const std::vector<std::pair<size_t, Refusal>>& refused) {
  for (const auto& [entry, refusal] : refused) catalog.entries[entry].refusal = refusal;
  for (CatalogEntry& entry : catalog.entries) entry.hidden_by.clear();
  catalog.conflicts.clear();
  catalog.hidden_ops.clear();
  HidePlugins(&catalog);
  HideOps(&catalog);
  return catalog;
}

Catalog ReadCatalog(const std::vector<SearchedDirectory>& places, const LookOptions& options) {
  Catalog catalog;
  catalog.places = places;
  std::set<FileId> seen;
  for (size_t place = 0; place < places.size(); ++place) ReadPlace(place, options, &seen, &catalog);
  HidePlugins(&catalog);
  HideOps(&catalog);
  return catalog;
}

// The search directories.

namespace {

// Adds the directories of the variable, without empty entries.
void AddPathEntries(std::string_view path, std::vector<SearchedDirectory>* places) {
  while (!path.empty()) {
    const std::string_view folder = TakePart(&path, ":");
    if (!folder.empty()) places->push_back({std::string(folder), "OPSRUN_PLUGIN_PATH", false});
  }
}

std::string TextOf(const char* variable) {
  const char* value = Environment(variable);
  return value == nullptr ? "" : value;
}

}  // namespace

std::vector<SearchedDirectory> SearchedDirectories(const std::vector<std::string>& named, bool use_defaults) {
  std::vector<SearchedDirectory> places;
  for (const std::string& directory : named) places.push_back({directory, "--plugins", true});
  if (!use_defaults) return places;
  AddPathEntries(TextOf("OPSRUN_PLUGIN_PATH"), &places);
  // A relative HOME would be resolved in the current directory.
  std::filesystem::path home = TextOf("HOME");
  if (home.is_absolute()) places.push_back({home / ".local/lib/opsrun", "default", false, /*of_user=*/true});
  places.push_back({"/usr/local/lib/opsrun", "default", false});
  places.push_back({"/usr/lib/opsrun", "default", false});
  const std::string own = AboveOwnFolder(1) / "lib/opsrun";  // one of the others after an install to /usr/local
  if (own.starts_with('/') && std::ranges::find(places, own, &SearchedDirectory::directory) == places.end())
    places.push_back({own, "default", false});
  return places;
}

}  // namespace opsrun::host
