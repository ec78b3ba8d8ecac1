// host/engine/compare_lock.cc: what has changed since a graph was locked.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "host/base/display_text.h"
#include "host/engine/loaded_graph.h"
#include "host/engine/lock.h"
#include "host/graph/compiled_graph.h"
#include "host/plan/build_plan.h"
#include "host/tensor/digest.h"
#include "host/tensor/mapped_files.h"

namespace opsrun::host {

namespace {

// The op of the first node that has this one; an unknown place if none has.
Span FirstUse(const Graph& graph, const std::string& op) {
  const auto uses = [&](const Node& node) { return node.op.value == op; };
  if (graph.compiled == nullptr) {
    const auto node = std::ranges::find_if(graph.nodes, uses);
    return node == graph.nodes.end() ? Span() : node->op.span;
  }
  const std::span<const CompiledNode> nodes = graph.compiled->nodes;
  const auto node = std::ranges::find_if(nodes, [&](const CompiledNode& each) { return uses(graph.nodes[each.kind]); });
  return node == nodes.end() ? Span() : graph.compiled->PlaceOf(static_cast<uint32_t>(node - nodes.begin()));
}

class OpComparison {
 public:
  OpComparison(const Lock& lock, const Graph& graph, const Registry& registry, const Catalog& catalog,
               const LockOptions& options)
      : lock_(lock), graph_(graph), registry_(registry), catalog_(catalog), options_(options) {}

  std::vector<LockChange> Run() {
    used_ = OpNames(graph_);
    for (const LockedPlugin& plugin : lock_.plugins) ComparePlugin(plugin);
    for (const LockedOp& op : lock_.ops) CompareOp(op);
    for (const std::string& name : used_) {
      const auto is_locked = [&](const LockedOp& op) { return op.name == name; };
      if (std::ranges::none_of(lock_.ops, is_locked)) AddOp(name, {true, "op_added", "the op is new"});
    }
    return std::move(changes_);
  }

 private:
  void AddOp(const std::string& name, spec::OpChange change, const std::string& plugin = {}) {
    const Span where = std::ranges::binary_search(used_, name) ? FirstUse(graph_, name) : Span();
    changes_.push_back({fmt::format("op '{}'", name), std::move(change), where, name, plugin});
  }

  void CompareOp(const LockedOp& locked) {
    if (!std::ranges::binary_search(used_, locked.name))
      return AddOp(locked.name, {true, "op_unused", "no node uses the op any more"});
    const RegisteredOp* const op = registry_.FindOp(locked.name);
    if (op == nullptr) return AddOp(locked.name, {false, "op_removed", "the op was removed"}, locked.plugin);
    if (op->plugin->name != locked.plugin) {
      AddOp(locked.name, {false, "op_moved",
                          fmt::format("the op was that of plugin '{}' and is that of plugin '{}'", locked.plugin,
                                      op->plugin->name)});
    }
    for (spec::OpChange& change : spec::CompareVersions(locked.def, op->def)) AddOp(locked.name, std::move(change));
  }

  void ComparePlugin(const LockedPlugin& locked) {
    const auto& open = registry_.plugins();
    const auto found =
        std::ranges::find_if(open, [&](const auto& plugin) { return plugin->name == locked.name.value; });
    if (found == open.end()) return;
    const Plugin& plugin = **found;
    const auto add = [&](const char* rule, std::string message) {
      changes_.push_back(
          {fmt::format("plugin '{}'", plugin.name), {true, rule, std::move(message)}, {}, {}, plugin.name});
    };
    if (plugin.version != locked.version)
      return add("plugin_version", "it " + VersionMismatch(plugin.version, "lock", LockedRange(locked)));
    if (WasRebuilt(locked, plugin)) add("plugin_rebuilt", "the file is from another build");
  }

  // The build ID is known without reading the whole file. A lock need not have it, or the digest.
  bool WasRebuilt(const LockedPlugin& locked, const Plugin& plugin) const {
    const auto entry = std::ranges::find(catalog_.entries, plugin.path, &CatalogEntry::path);
    const bool is_known = entry != catalog_.entries.end() && !locked.build_id.empty();
    if (is_known && entry->note.build_id != locked.build_id) return true;
    if (!options_.whole || locked.digest.empty()) return false;
    const Result<std::string> digest = DigestOfFile(plugin.path);
    return !digest.ok() || *digest != locked.digest;
  }

  const Lock& lock_;
  const Graph& graph_;
  const Registry& registry_;
  const Catalog& catalog_;
  const LockOptions& options_;
  std::vector<std::string> used_;  // sorted
  std::vector<LockChange> changes_;
};

enum class Fit { kSame, kRefined, kChanged };

Fit Compare(const LockedTensor& before, const PlanValue& now) {
  if (before.dtype != now.dtype) return Fit::kChanged;
  if (!before.rank_known) return now.rank_known ? Fit::kRefined : Fit::kSame;
  const Shape& sizes = now.shape();
  if (!now.rank_known || sizes.size() != before.shape.size()) return Fit::kChanged;
  if (sizes == before.shape) return Fit::kSame;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (before.shape[i] != -1 && before.shape[i] != sizes[i]) return Fit::kChanged;
  }
  return Fit::kRefined;
}

// Finds nodes by their names. Those of an unchanged graph come in the order in which the lock has them, so that a table
// of all names, which would take longer to make than to read the lock, is rarely needed.
class LockedNames {
 public:
  explicit LockedNames(const std::vector<LockedNodes>& all) : all_(all) {
    for (const LockedNodes& nodes : all) {
      rest_.emplace_back(nodes.names);
      count_ += nodes.names.empty() ? 0 : 1 + static_cast<size_t>(std::ranges::count(nodes.names, ' '));
    }
  }

  size_t count() const { return count_; }

  // Null if the lock lacks it.
  const LockedNodes* Find(std::string_view name) {
    constexpr size_t kFew = 16;
    if (last_ < all_.size() && TakeNext(last_, name)) return &all_[last_];
    for (size_t i = 0; i < std::min(all_.size(), kFew); ++i) {
      if (TakeNext(i, name)) return &all_[last_ = i];
    }
    if (table_.empty()) MakeTable();
    const auto found = table_.find(name);
    return found == table_.end() ? nullptr : found->second;
  }

 private:
  bool TakeNext(size_t i, std::string_view name) {
    std::string_view& rest = rest_[i];
    if (!rest.starts_with(name) || (rest.size() > name.size() && rest[name.size()] != ' ')) return false;
    rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    return true;
  }

  void MakeTable() {
    table_.reserve(count_);
    for (const LockedNodes& nodes : all_) {
      std::string_view rest = nodes.names;
      while (!rest.empty()) {
        const size_t end = std::min(rest.find(' '), rest.size());
        table_.emplace(rest.substr(0, end), &nodes);
        rest.remove_prefix(std::min(end + 1, rest.size()));
      }
    }
  }

  const std::vector<LockedNodes>& all_;
  std::vector<std::string_view> rest_;  // of the names of each, those that were not found yet
  size_t count_ = 0, last_ = 0;
  std::unordered_map<std::string_view, const LockedNodes*> table_;
};

class PlanComparison {
 public:
  PlanComparison(const Lock& lock, const Plan& plan, const LockOptions& options)
      : lock_(lock), plan_(plan), options_(options), fits_(plan.values.size()), nodes_(lock.nodes) {}

  std::vector<LockChange> Run() {
    CompareFeeds();
    for (const LockedArray& array : lock_.arrays) CompareArray(array);
    for (const Step& step : plan_.steps) CompareNode(step);
    CountNodes();
    CompareResults();
    return std::move(changes_);
  }

 private:
  void Add(std::string about, bool safe, const char* rule, std::string message, const Span& where = {}) {
    changes_.push_back({std::move(about), {safe, rule, std::move(message)}, where, {}, {}});
  }

  Fit CompareAll(const std::vector<LockedTensor>& before, std::span<const uint32_t> now) const {
    if (before.size() != now.size()) return Fit::kChanged;
    Fit worst = Fit::kSame;
    for (size_t i = 0; i < now.size(); ++i) worst = std::max(worst, Compare(before[i], plan_.values[now[i]]));
    return worst == Fit::kRefined && options_.fed ? Fit::kSame : worst;
  }

  std::string TypesText(std::span<const uint32_t> values) const {
    std::vector<LockedTensor> tensors;
    for (const uint32_t i : values) {
      const PlanValue& value = plan_.values[i];
      tensors.push_back({value.dtype, value.rank_known, value.rank_known ? value.shape() : Shape()});
    }
    return tensors.empty() ? "nothing" : LockedTensorsText(tensors);
  }

  void AddType(std::string about, Fit fit, const std::vector<LockedTensor>& before, std::span<const uint32_t> now,
               const Span& where) {
    const bool refined = fit == Fit::kRefined;
    const std::string was = before.empty() ? "nothing" : LockedTensorsText(before);
    Add(std::move(about), refined, refined ? "type_refined" : "type_changed",
        fmt::format("it was {} and is {}", was, TypesText(now)), where);
  }

  Fit CompareOne(const std::string& about, const LockedTensor& before, uint32_t now, const Span& where) {
    const Fit fit = CompareAll({before}, {&now, 1});
    if (fit != Fit::kSame) AddType(about, fit, {before}, {&now, 1}, where);
    return fit;
  }

  using Types = std::unordered_map<std::string_view, const LockedTensor*>;
  static Types ByName(const std::vector<LockedValue>& values) {
    Types types;
    for (const LockedValue& value : values) types.emplace(value.name, &value.type);
    return types;
  }

  void CompareFeeds() {
    const std::vector<Feed>& feeds = plan_.graph().feeds;
    const Types types = ByName(lock_.feeds);
    for (uint32_t i = 0; i < feeds.size(); ++i) {
      const std::string about = fmt::format("feed '{}'", feeds[i].name.value);
      feeds_[feeds[i].name.value] = i;
      const auto locked = types.find(feeds[i].name.value);
      const bool has_value = plan_.values[i].memory == PlanValue::Memory::kConstant;
      if (locked == types.end()) {
        Add(about, has_value, "feed_added", has_value ? "the feed is new" : "the feed is new and has no value",
            feeds[i].name.span);
        continue;
      }
      fits_[i] = CompareOne(about, *locked->second, i, feeds[i].name.span);
    }
    for (const LockedValue& locked : lock_.feeds) {
      if (!feeds_.contains(locked.name))
        Add(fmt::format("feed '{}'", locked.name), false, "feed_removed", "the feed was removed");
    }
    std::unordered_set<std::string_view> arrays;
    for (const LockedArray& array : lock_.arrays) arrays.insert(array.feed);
    for (const Feed& feed : feeds) {
      const bool of_file = feed.source == Feed::Source::kNpy || feed.source == Feed::Source::kNpz;
      if (of_file && !arrays.contains(feed.name.value))
        Add(fmt::format("feed '{}'", feed.name.value), true, "array_added", "its array is new", feed.name.span);
    }
  }

  // A large array stays in its file until it is used.
  void CompareArray(const LockedArray& locked) {
    const auto feed = feeds_.find(locked.feed);
    if (feed == feeds_.end() || fits_[feed->second] == Fit::kChanged) return;
    const PlanValue& value = plan_.values[feed->second];
    const Span where = plan_.graph().feeds[feed->second].name.span;
    const std::string about = fmt::format("feed '{}'", locked.feed);
    if (value.memory != PlanValue::Memory::kConstant)
      return Add(about, false, "array_changed", "it had an array and is now only declared", where);
    const Tensor& array = plan_.ConstantOf(value);
    if (!options_.whole && array.num_bytes() >= MappedFiles::kLeastArray) return;
    Digest digest;
    digest.Add(array);
    if (digest.Hex() != locked.digest) Add(about, false, "array_changed", "its array has other elements", where);
  }

  void CompareNode(const Step& step) {
    const std::string_view name = plan_.NodeName(step);
    const LockedNodes* const locked = nodes_.Find(name);
    if (locked == nullptr) {
      if (added_++ == 0) first_added_ = name;
      return;
    }
    ++kept_;
    const Fit fit = CompareAll(locked->results, step.outputs);
    if (fit == Fit::kSame) return;
    for (const uint32_t output : step.outputs) fits_[output] = fit;
    if (std::ranges::any_of(step.inputs, [&](uint32_t input) { return fits_[input] >= fit; })) return;
    AddType(fmt::format("node '{}'", name), fit, locked->results, step.outputs, plan_.PlaceOf(step));
  }

  void CountNodes() {
    const size_t removed = nodes_.count() - kept_;
    if (removed > 0) Add("the graph", true, "nodes_removed", fmt::format("{} removed", WereText(removed)));
    if (added_ > 0)
      Add("the graph", true, "nodes_added",
          fmt::format("{} new{}", added_ == 1 ? "1 node is" : fmt::format("{} nodes are", added_),
                      added_ == 1 ? fmt::format(": '{}'", first_added_) : fmt::format(", such as '{}'", first_added_)));
  }

  static std::string WereText(size_t count) { return count == 1 ? "1 node was" : fmt::format("{} nodes were", count); }

  void CompareResults() {
    Types types = ByName(lock_.results);
    for (const PlanOutput& output : plan_.outputs) {
      const Located<std::string>& name = output.output->name;
      const std::string about = fmt::format("result '{}'", name.value);
      const auto locked = types.find(name.value);
      if (locked == types.end()) {
        Add(about, true, "result_added", "the result is new", name.span);
        continue;
      }
      CompareOne(about, *locked->second, output.value, name.span);
      types.erase(locked);
    }
    for (const LockedValue& locked : lock_.results) {
      if (types.contains(locked.name))
        Add(fmt::format("result '{}'", locked.name), false, "result_removed", "the result was removed");
    }
  }

  const Lock& lock_;
  const Plan& plan_;
  const LockOptions& options_;
  std::vector<Fit> fits_;                                 // by value
  std::unordered_map<std::string_view, uint32_t> feeds_;  // by name
  LockedNames nodes_;
  size_t kept_ = 0, added_ = 0;
  std::string first_added_;
  std::vector<LockChange> changes_;
};

}  // namespace

std::vector<LockChange> CompareLockedOps(const Lock& lock, const Graph& graph, const Registry& registry,
                                         const Catalog& catalog, const LockOptions& options) {
  return OpComparison(lock, graph, registry, catalog, options).Run();
}

std::vector<LockChange> CompareLockedPlan(const Lock& lock, const Plan& plan, const LockOptions& options) {
  return PlanComparison(lock, plan, options).Run();
}

}  // namespace opsrun::host
