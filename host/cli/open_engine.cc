// host/cli/open_engine.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/open_engine.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/cli/guard/crash_report.h"

namespace opsrun::host {

std::shared_ptr<Engine> OpenEngine(const CommonOptions& common, Console& console, const GraphOptions& options,
                                   int callers) {
  EngineOptions of_engine;
  of_engine.plugins = common.plugins;
  of_engine.default_plugins = !common.no_default_plugins;
  of_engine.threads = static_cast<int>(options.threads);
  of_engine.callers = callers;
  of_engine.memory_limit = options.memory_limit;
  if (!options.device.empty()) of_engine.device = options.device;
  of_engine.strict_placement = options.strict_placement;
  of_engine.nan_check = options.nan_check;
  of_engine.cuda_graphs = !options.no_cuda_graph;
  of_engine.sync_each_node = options.sync_each_node;
  of_engine.probe = !common.no_probe;
  of_engine.host.level = common.abi_level;
  of_engine.host.log_threshold = common.quiet ? OPSRUN_LOG_ERROR : OPSRUN_LOG_INFO;
  of_engine.owns_process = true;
  of_engine.thread_begin = PrepareThread;
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

}  // namespace opsrun::host
