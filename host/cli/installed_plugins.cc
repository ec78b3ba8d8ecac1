// host/cli/installed_plugins.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/installed_plugins.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace opsrun::host {
namespace {

// A message about an op will name the file.
bool IsInTrouble(const LoadResult& loaded, size_t entry) {
  return std::any_of(loaded.trouble.begin(), loaded.trouble.end(), [&](const OpTrouble& trouble) {
    return std::find(trouble.entries.begin(), trouble.entries.end(), entry) != trouble.entries.end();
  });
}

LoadResult Told(LoadResult loaded, const Catalog& catalog, Console& console) {
  for (const std::string& message : loaded.messages) console.Note(message);
  for (const LoadRefusal& refused : loaded.refused) {
    if (IsInTrouble(loaded, refused.entry)) continue;
    console.Note(fmt::format("{} is not used: {}; {}", catalog.entries[refused.entry].path, refused.refusal.reason,
                             refused.refusal.remedy));
  }
  return loaded;
}

}  // namespace

std::optional<Catalog> FindPlugins(const CommonOptions& common, Console& console) {
  Catalog catalog = ReadCatalog(PluginPlaces(common.plugins, common.default_plugins));
  for (const std::string& message : catalog.messages) console.Note(message);
  for (const Status& missing : catalog.missing_places) {
    Diagnostic d;
    d.code = "P101";
    d.message = missing.message();
    d.help = {"name a directory that holds plugins (*.so), or leave --plugins out"};
    console.Report(d);
  }
  if (!catalog.missing_places.empty()) return std::nullopt;
  return catalog;
}

LoadResult OpenPlugins(const Catalog& catalog, const std::vector<std::string>& op_names, const opsrun_host* host,
                       const CommonOptions& common, Console& console) {
  return Told(LoadPlugins(catalog, op_names, host, common.opening), catalog, console);
}

LoadResult OpenAllPlugins(const Catalog& catalog, const opsrun_host* host, const CommonOptions& common,
                          Console& console) {
  return Told(LoadAllPlugins(catalog, host, common.opening), catalog, console);
}

std::string RefusedText(const Catalog& catalog) {
  const auto refused = std::count_if(catalog.entries.begin(), catalog.entries.end(),
                                     [](const CatalogEntry& entry) { return entry.refusal.has_value(); });
  if (refused == 0) return {};
  return fmt::format("{} refused; see: opsrun plugins",
                     refused == 1 ? "1 plugin is" : fmt::format("{} plugins are", refused));
}

}  // namespace opsrun::host
