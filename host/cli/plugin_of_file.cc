// host/cli/plugin_of_file.cc: see plugin_of_file.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/plugin_of_file.h"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "host/cli/guard/crash_report.h"

namespace opsrun::host {
namespace {

bool IsFile(const std::string& a, const std::string& b) {
  std::error_code error;
  return std::filesystem::equivalent(a, b, error);
}

}  // namespace

std::string DirectoryOf(const std::string& file) {
  const std::string directory = std::filesystem::path(file).parent_path().string();
  return directory.empty() ? "." : directory;
}

PluginOfFile OpenPluginOfFile(const std::string& file, const CommonOptions& common) {
  EngineOptions options;
  options.plugins = common.plugins;
  options.plugins.insert(options.plugins.begin(), DirectoryOf(file));
  options.default_plugins = !common.no_default_plugins;
  options.threads = 1;
  options.probe = !common.no_probe;
  options.host.level = common.abi_level;
  options.owns_process = true;
  options.host.log_threshold = OPSRUN_LOG_ERROR;  // what ops print belongs to no result
  options.thread_begin = PrepareThread;
  Diagnostics ignored;
  PluginOfFile opened;
  opened.engine = Engine::Create(std::move(options), ignored);
  if (opened.engine == nullptr) return opened;
  const std::shared_ptr<const Catalog> catalog = opened.engine->catalog();
  const auto entry = std::find_if(catalog->entries.begin(), catalog->entries.end(),
                                  [&](const CatalogEntry& each) { return IsFile(each.path, file); });
  if (entry == catalog->entries.end()) return opened;
  if (entry->refusal) opened.reason = entry->refusal->reason;
  std::vector<std::string> ops;
  for (const std::string& op : entry->note.ops) ops.push_back(fmt::format("{}.{}", entry->note.name, op));
  opened.loaded = opened.engine->Open(*catalog, ops);
  for (const std::shared_ptr<const Plugin>& plugin : opened.loaded.registry.plugins()) {
    if (IsFile(plugin->path, file)) opened.plugin = plugin.get();
  }
  for (const LoadRefusal& refused : opened.loaded.refused) {
    if (catalog->entries[refused.entry].path == entry->path) opened.reason = refused.refusal.reason;
  }
  return opened;
}

}  // namespace opsrun::host
