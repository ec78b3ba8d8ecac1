// host/cli/open_engine.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/open_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "host/cli/guard/crash_report.h"
#include "host/device/cuda_device.h"

namespace opsrun::host {

namespace {

EngineOptions OptionsOf(const CommonOptions& common) {
  EngineOptions options;
  options.plugins = common.plugins;
  options.default_plugins = !common.no_default_plugins;
  options.probe = !common.no_probe;
  options.host.level = common.abi_level;
  options.owns_process = true;
  options.thread_begin = PrepareThread;
  return options;
}

bool IsFile(const std::string& a, const std::string& b) {
  std::error_code error;
  return std::filesystem::equivalent(a, b, error);
}

}  // namespace

std::shared_ptr<Engine> OpenEngine(const CommonOptions& common, Console& console, const GraphOptions& options,
                                   int callers) {
  EngineOptions of_engine = OptionsOf(common);
  of_engine.threads = static_cast<int>(options.threads);
  of_engine.callers = callers;
  of_engine.memory_limit = options.memory_limit;
  if (!options.device.empty()) of_engine.device = options.device;
  of_engine.strict_placement = options.strict_placement;
  of_engine.run = options.run;
  of_engine.host.log_threshold = common.quiet ? OPSRUN_LOG_ERROR : OPSRUN_LOG_INFO;
  of_engine.note = [&console](std::string_view text) { console.Note(text); };
  Diagnostics diagnostics;
  std::shared_ptr<Engine> engine = Engine::Create(std::move(of_engine), diagnostics);
  for (const Diagnostic& d : diagnostics.all()) console.Report(d);
  return engine;
}

std::string RefusedText(const Catalog& catalog) {
  const auto refused = std::count_if(catalog.entries.begin(), catalog.entries.end(),
                                     [](const CatalogEntry& entry) { return entry.refusal.has_value(); });
  if (refused == 0) return {};
  return fmt::format("{} refused; see: opsrun plugins",
                     refused == 1 ? "1 plugin is" : fmt::format("{} plugins are", refused));
}

std::string DirectoryOf(const std::string& file) {
  const std::string directory = std::filesystem::path(file).parent_path().string();
  return directory.empty() ? "." : directory;
}

PluginOfFile OpenPluginOfFile(const std::string& file, const CommonOptions& common) {
  EngineOptions options = OptionsOf(common);
  options.plugins.insert(options.plugins.begin(), DirectoryOf(file));
  options.threads = 1;
  options.host.log_threshold = OPSRUN_LOG_ERROR;  // log messages of ops do not belong in the result
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

Diagnostic CannotOpen(const std::string& file, const PluginOfFile& opened) {
  const std::string reason = opened.reason.empty() ? "" : ": " + opened.reason;
  return MakeError("P103", fmt::format("'{}' cannot be opened as a plugin{}", file, reason),
                   fmt::format("for details, run: opsrun inspect {}", file));
}

GpuCards GpuCardsHere() {
  return [known = std::optional<std::vector<Capability>>()]() mutable {
    if (known) return *known;
    known.emplace();
    for (const CudaCard& card : LookAtCudaCards().cards)
      known->push_back(static_cast<Capability>(card.major * 10 + card.minor));
    return *known;
  };
}

}  // namespace opsrun::host
