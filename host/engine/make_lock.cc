// host/engine/make_lock.cc: the lock for a plan.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <map>

#include "host/engine/lock.h"
#include "host/plan/build_plan.h"
#include "host/tensor/digest.h"

namespace opsrun::host {
namespace {

LockedTensor TensorOf(const PlanValue& value) {
  return {value.dtype, value.rank_known, value.rank_known ? value.shape() : Shape()};
}

std::string BuildIdOf(const Plugin& plugin, const Catalog& catalog) {
  const auto entry = std::ranges::find(catalog.entries, plugin.path, &CatalogEntry::path);
  return entry == catalog.entries.end() ? "" : entry->note.build_id;
}

// A built-in plugin has no file.
Result<LockedPlugin> PluginOf(const Plugin& plugin, const Catalog& catalog) {
  LockedPlugin locked{{plugin.name, {}}, plugin.version, BuildIdOf(plugin, catalog), ""};
  if (plugin.table == nullptr) return locked;
  Result<std::string> digest = DigestOfFile(plugin.path);
  if (!digest.ok()) return digest.status();
  locked.digest = *std::move(digest);
  return locked;
}

std::vector<LockedNodes> NodesOf(const Plan& plan) {
  std::vector<LockedNodes> all;
  std::map<std::string, size_t> known;  // by the text of the results
  for (const Step& step : plan.steps) {
    std::vector<LockedTensor> results;
    for (const uint32_t output : step.outputs) results.push_back(TensorOf(plan.values[output]));
    const auto [found, is_new] = known.emplace(LockedTensorsText(results), all.size());
    if (is_new) all.push_back({std::move(results), ""});
    std::string& names = all[found->second].names;
    if (!names.empty()) names += ' ';
    names += plan.NodeName(step);
  }
  return all;
}

}  // namespace

std::string LockPath(const std::string& graph) {
  std::string path = std::filesystem::path(graph).replace_extension(".lock").string();
  return graph == "-" || path == graph ? "" : path;
}

std::string LockedRange(const LockedPlugin& plugin) {
  return plugin.version.empty() ? "*" : "== " + plugin.version;
}

Result<Lock> MakeLock(const Plan& plan, const Registry& registry, const Catalog& catalog) {
  const Graph& graph = plan.graph();
  Lock lock;
  std::map<std::string, const Plugin*> plugins;
  for (const std::string& name : OpNames(graph)) {
    const RegisteredOp* const op = registry.FindOp(name);
    if (op == nullptr) return NotFound("there is no op " + name);
    lock.ops.push_back({name, op->plugin->name, op->def});
    plugins[op->plugin->name] = op->plugin;
  }
  for (const auto& [name, plugin] : plugins) {
    Result<LockedPlugin> locked = PluginOf(*plugin, catalog);
    if (!locked.ok()) return locked.status();
    lock.plugins.push_back(*std::move(locked));
  }
  for (size_t i = 0; i < graph.feeds.size(); ++i) {
    const Feed& feed = graph.feeds[i];
    const PlanValue& value = plan.values[i];
    lock.feeds.push_back({feed.name.value, TensorOf(value)});
    if (feed.source != Feed::Source::kNpy && feed.source != Feed::Source::kNpz) continue;
    Digest digest;
    digest.Add(plan.ConstantOf(value));
    lock.arrays.push_back({feed.name.value, digest.Hex()});
  }
  for (const PlanOutput& output : plan.outputs)
    lock.results.push_back({output.output->name.value, TensorOf(plan.values[output.value])});
  lock.nodes = NodesOf(plan);
  return lock;
}

}  // namespace opsrun::host
