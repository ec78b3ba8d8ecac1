// SPDX-License-Identifier: Apache-2.0
#include "host/engine/lock_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "host/base/display_text.h"
#include "host/base/file.h"
#include "host/engine/loaded_graph.h"
#include "host/plan/build_plan.h"

namespace opsrun::host {
namespace {

// The version that a plugin must have if nothing may change. One that cannot be compared allows none.
Requirement RequirementOf(const LockedPlugin& plugin, bool exact) {
  Requirement wanted{plugin.name, {exact ? LockedRange(plugin) : "*", plugin.name.span}, {}};
  RangeMistake ignored;
  wanted.range =
      ParseVersionRange(wanted.text.value, &ignored).value_or(VersionRange{{{VersionRange::Relation::kLess, {0}}}});
  return wanted;
}

}  // namespace

std::unique_ptr<LockCheck> LockCheck::Open(const std::string& path, LockUse use, Diagnostics& diagnostics) {
  const std::string of_lock = LockPath(path);
  const bool frozen = use == LockUse::kFrozen;
  if (of_lock.empty()) {
    if (frozen) {
      const char* const what = path == "-" ? "a graph from standard input" : "a graph file that ends in .lock";
      diagnostics.Error("G226", fmt::format("{} has no lock", what)).help = {
          "name the file of the graph, or leave out --frozen"};
    }
    return nullptr;
  }
  Result<std::string> text = ReadFile(of_lock, kMostLockBytes);
  if (!text.ok()) {
    const bool missing = text.status().code() == OPSRUN_NOT_FOUND;
    if (missing && !frozen) return nullptr;
    diagnostics.Error("G226", text.status().message()).help = {missing ? "write it: opsrun lock " + path
                                                                       : "make it a readable file, or remove it"};
    return nullptr;
  }
  std::optional<Lock> lock =
      ReadLock(std::make_shared<const SourceFile>(SourceFile{of_lock, *std::move(text)}), diagnostics);
  if (!lock) return nullptr;
  return std::unique_ptr<LockCheck>(new LockCheck(path, *std::move(lock), frozen));
}

std::string LockCheck::Update() const {
  return "opsrun lock --update " + path_;
}

std::vector<std::string> LockCheck::CompareOps(const Graph& graph, const Registry& registry, const Catalog& catalog,
                                               Diagnostics& diagnostics) {
  std::vector<LockChange> changes = CompareLockedOps(lock_, graph, registry, catalog, {.whole = frozen_});
  const std::vector<std::string> used = OpNames(graph);
  std::set<std::string_view> plugins;  // of ops that are used
  for (const LockedOp& op : lock_.ops) {
    if (std::ranges::binary_search(used, op.name)) plugins.insert(op.plugin);
  }
  std::vector<Requirement> wanted;
  for (const LockedPlugin& plugin : lock_.plugins) {
    if (plugins.contains(plugin.name.value)) wanted.push_back(RequirementOf(plugin, frozen_));
  }
  const RequiredBy by{lock_.source->path, "lock", "accept this one: " + Update()};
  const std::vector<std::string> unmet = CheckRequires(wanted, by, catalog, diagnostics);
  std::vector<std::string> missing;
  std::erase_if(changes, [&](const LockChange& change) {
    if (change.change.rule == "plugin_version") return std::ranges::find(unmet, change.plugin) != unmet.end();
    if (change.change.rule != "op_removed") return false;
    missing.push_back(change.op);
    return std::ranges::find(unmet, change.plugin) != unmet.end();
  });
  Report(std::move(changes), graph.source->path, diagnostics);
  return missing;
}

void LockCheck::ComparePlan(const Plan& plan, bool fed, Diagnostics& diagnostics) {
  Report(CompareLockedPlan(lock_, plan, {.whole = frozen_, .fed = fed}), plan.graph().source->path, diagnostics);
}

void LockCheck::Report(std::vector<LockChange> changes, const std::string& file, Diagnostics& diagnostics) {
  for (LockChange& change : changes) {
    if (change.change.safe && !frozen_) {
      safe_.push_back(std::move(change));
      continue;
    }
    const std::string message = fmt::format("{} does not match the lock: {}", change.about, change.change.message);
    Diagnostic& error = diagnostics.Error("G225", message, file, change.where);
    error.help = {"restore what it was, or accept the change: " + Update()};
    error.notes = {fmt::format("the lock is {}", lock_.source->path)};
  }
}

std::string LockCheck::Remark() const {
  if (safe_.empty()) return {};
  const std::string more = safe_.size() == 1 ? "" : fmt::format(" (and {})", Several(safe_.size() - 1, "more change"));
  return fmt::format("{} is not up to date: {}: {}{}; to accept it, run: {}", lock_.source->path, safe_[0].about,
                     safe_[0].change.message, more, Update());
}

}  // namespace opsrun::host
