// host/engine/isolate.cc: which plugins run in processes of their own.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/engine/engine.h"
#include "host/run/host_table.h"

namespace opsrun::host {
namespace {

bool Holds(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// The plugins that have the op, or kernels for it.
std::vector<const CatalogEntry*> PluginsOf(const std::string& op, const Catalog& catalog) {
  const OpRequest wanted = ParseOpRequest(op);
  std::vector<const CatalogEntry*> found;
  for (const size_t entry : catalog.ClaimantsOf(wanted)) found.push_back(&catalog.entries[entry]);
  for (const CatalogEntry& entry : catalog.entries) {
    const bool has_kernel =
        std::ranges::any_of(entry.note.kernels, [&](const KernelNote& kernel) { return kernel.op == wanted.op; });
    if (entry.usable() && has_kernel && std::ranges::find(found, &entry) == found.end()) found.push_back(&entry);
  }
  return found;
}

}  // namespace

bool Engine::IsNamed(std::string_view plugin) const {
  return !IsolatesNone() && (Holds(options_.isolate, kIsolateAll) || Holds(options_.isolate, plugin));
}

bool Engine::IsolatesNone() const {
  return Holds(options_.isolate, kIsolateNone);
}

void Engine::Isolate(const Graph& graph, const Catalog& catalog, Diagnostics& diagnostics) {
  if (IsolatesNone()) return;
  const bool by_node = !options_.isolate.empty() && !Holds(options_.isolate, kIsolateAll);
  for (const Node& node : graph.compiled != nullptr && by_node ? graph.AllNodes() : graph.nodes) {
    if (!node.isolate && !node.sandbox && !(by_node && Holds(options_.isolate, node.name.value))) continue;
    for (const CatalogEntry* const entry : PluginsOf(node.op.value, catalog)) {
      const std::string why_not = WhyNotIsolated(entry->path, entry->note.name, node.sandbox);
      if (why_not.empty()) continue;
      Diagnostic& error =
          diagnostics.Error("G227", fmt::format("plugin '{}' cannot be isolated: {}", entry->note.name, why_not),
                            graph.source->path, node.op.span);
      error.help.push_back(
          "load this graph before others that use the plugin, or isolate it in the options of the engine");
    }
  }
}

// Empty: it is, or will be when it is opened.
std::string Engine::WhyNotIsolated(const std::string& path, const std::string& plugin, bool sandbox) {
  const bool is_open = files_.IsOpen(path);  // before the lock: files_ asks for children with its own lock
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto known = isolated_.find(plugin);
  const bool is_sandboxed = options_.isolation.sandbox || (known != isolated_.end() && known->second);
  if (is_open && known == isolated_.end() && !IsNamed(plugin)) return "it is open in this process already";
  if (is_open && sandbox && !is_sandboxed) return "it is open already, without a sandbox";
  isolated_[plugin] |= sandbox;
  return "";
}

bool Engine::keeps_going() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return options_.run.keep_going || (!options_.isolate.empty() && !IsolatesNone()) || !isolated_.empty();
}

std::shared_ptr<Child> Engine::ChildFor(const std::string& path, const PluginNote& note) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = isolated_.find(note.name);
  if (found == isolated_.end() && !IsNamed(note.name)) return nullptr;
  if (!region_) {
    region_ = SharedRegion::Create("opsrun-tensors", SharedRegionBytes());
    if (region_->ok()) device().AllocateIn(**region_);
  }
  IsolateOptions options = options_.isolation;
  options.program = FindIsolated();
  options.sandbox = options_.isolation.sandbox || (found != isolated_.end() && found->second);
  options.threads = threads_;
  options.level = host_->level;
  const auto log = [host = host_.get(), name = note.name](const ChildLine& line) {
    Log(host, {line.severity, line.text, line.source, line.source_line, name, line.about.name, line.about.graph,
               line.about.place});
  };
  return std::make_shared<Child>(std::move(options), note.name, path, *region_, log);
}

}  // namespace opsrun::host
