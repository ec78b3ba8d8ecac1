// host/plugin/load.cc: decides which files a set of op names needs, and opens them in order.
// SPDX-License-Identifier: Apache-2.0
#include "host/plugin/load.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace opsrun::host {
namespace {

bool HasKernelNote(const PluginNote& note, const std::string& op) {
  return std::any_of(note.kernels.begin(), note.kernels.end(),
                     [&](const KernelNote& kernel) { return kernel.op == op; });
}

class Loader {
 public:
  Loader(const Catalog& catalog, OpenedFiles& files) : catalog_(catalog), files_(files) {}

  void Load(const std::vector<OpRequest>& wanted) {
    for (const OpRequest& each : wanted) {
      std::vector<size_t> claimants = catalog_.ClaimantsOf(each);
      if (claimants.size() == 1) Open(claimants.front());
      if (claimants.size() > 1) RefuseSome(claimants);
    }
    for (const OpRequest& each : wanted) OpenKernelsFor(each);
    for (size_t i = 0; i < catalog_.entries.size(); ++i) {
      if (!catalog_.entries[i].usable() || !catalog_.entries[i].note.more() || tried_.count(i) != 0) continue;
      if (std::none_of(wanted.begin(), wanted.end(), [&](const OpRequest& each) { return MoreMayHelp(each); })) return;
      Open(i);
      for (const OpRequest& each : wanted) OpenKernelsFor(each);
    }
  }

  void Open(size_t entry) {
    if (!tried_.insert(entry).second) return;
    const CatalogEntry& file = catalog_.entries[entry];
    const OpenedFile& opened = files_.Open(file.path, file.note);
    if (opened.refusal) {
      result_.refused.push_back({entry, *opened.refusal});
      return;
    }
    for (const std::string& message : opened.plugin->messages)
      result_.messages.push_back(fmt::format("{}: {}", file.path, message));
    if (const std::optional<Refusal> change = files_.Change(file.path))
      result_.messages.push_back(fmt::format("{}: {}; {}", file.path, change->reason, change->remedy));
    order_.push_back(entry);
    opened_.emplace(entry, opened.plugin);
  }

  std::optional<OpTrouble> TroubleOf(const OpRequest& wanted) const {
    if (Home(wanted)) return std::nullopt;
    std::vector<size_t> blamed = catalog_.ClaimantsOf(wanted);
    if (blamed.size() > 1) return Conflict(wanted, std::move(blamed));
    for (size_t entry : catalog_.RefusedClaimantsOf(wanted.op)) {
      if (wanted.plugin.empty() || wanted.plugin == catalog_.entries[entry].note.name) blamed.push_back(entry);
    }
    if (blamed.empty()) return OpTrouble{OpTrouble::Kind::kUnknown, wanted.text, {}, "", ""};
    std::vector<std::string> reasons;
    OpTrouble trouble{OpTrouble::Kind::kRefused, wanted.text, blamed, "", ""};
    for (size_t entry : blamed) reasons.push_back(WhyRefused(entry, wanted.op, &trouble));
    trouble.why = fmt::format("{}", fmt::join(reasons, "; "));
    return trouble;
  }

  LoadResult Finish() {
    RegistryBuilder builder(catalog_);
    for (size_t entry : order_) builder.Add(entry, std::move(opened_.at(entry)));
    result_.registry = builder.Finish();
    for (std::string& message : builder.TakeMessages()) result_.messages.push_back(std::move(message));
    return std::move(result_);
  }

 private:
  // The opened file that provides the op.
  std::optional<size_t> Home(const OpRequest& wanted) const {
    std::vector<size_t> claimants = catalog_.ClaimantsOf(wanted);
    if (claimants.size() > 1) return std::nullopt;
    for (const auto& [entry, file] : opened_) {
      bool named = wanted.plugin.empty() || wanted.plugin == file->name;
      bool chosen = claimants.empty() || claimants.front() == entry;
      if (named && chosen && file->HasOp(wanted.op)) return entry;
    }
    return std::nullopt;
  }

  // Files with kernels for this op of its plugin and, unless the op is hidden, those with kernels for its mere name
  // that do not claim such an op.
  void OpenKernelsFor(const OpRequest& wanted) {
    std::optional<size_t> home = Home(wanted);
    if (!home) return;
    const std::string qualified = opened_.at(*home)->name + '.' + wanted.op;
    std::vector<size_t> claimants = catalog_.ClaimantsOf(wanted.op);
    const bool hidden = !claimants.empty() && std::find(claimants.begin(), claimants.end(), *home) == claimants.end();
    for (size_t i = 0; i < catalog_.entries.size(); ++i) {
      const CatalogEntry& file = catalog_.entries[i];
      if (!file.usable()) continue;
      const bool for_name = !hidden && !file.Claims(wanted.op) && HasKernelNote(file.note, wanted.op);
      if (for_name || HasKernelNote(file.note, qualified)) Open(i);
    }
  }

  bool HasAnyKernel(const OpRequest& wanted, size_t home) const {
    const std::string qualified = opened_.at(home)->name + '.' + wanted.op;
    return std::any_of(opened_.begin(), opened_.end(), [&](const auto& file) {
      const bool for_name =
          file.second->HasKernel(wanted.op) && (file.first == home || !catalog_.entries[file.first].Claims(wanted.op));
      return for_name || file.second->HasKernel(qualified);
    });
  }

  // True if the missing op or kernel may be in a file whose notes are incomplete.
  bool MoreMayHelp(const OpRequest& wanted) const {
    if (std::optional<size_t> home = Home(wanted)) return !HasAnyKernel(wanted, *home);
    return catalog_.ClaimantsOf(wanted).empty();
  }

  // Files in conflict that could not be opened anyway are refused, so that they do not count.
  void RefuseSome(const std::vector<size_t>& claimants) {
    for (const size_t entry : claimants) {
      const CatalogEntry& file = catalog_.entries[entry];
      if (tried_.count(entry) != 0) continue;
      if (std::optional<Refusal> refusal = files_.WhyNot(file.path, file.note)) {
        tried_.insert(entry);
        result_.refused.push_back({entry, *std::move(refusal)});
      }
    }
  }

  const Refusal* RefusalOf(size_t entry) const {
    for (const LoadRefusal& each : result_.refused) {
      if (each.entry == entry) return &each.refusal;
    }
    const CatalogEntry& file = catalog_.entries[entry];
    return file.refusal ? &*file.refusal : nullptr;
  }

  std::string WhyRefused(size_t entry, const std::string& op, OpTrouble* trouble) const {
    const std::string& path = catalog_.entries[entry].path;
    std::string* const help = &trouble->help;
    if (const Refusal* refusal = RefusalOf(entry)) {
      *help = refusal->remedy;
      trouble->out_of_memory = refusal->out_of_memory;
      return fmt::format("{} has it, but is refused: {}", path, refusal->reason);
    }
    const std::vector<std::string>& dropped = opened_.at(entry)->dropped_ops;
    if (std::find(dropped.begin(), dropped.end(), op) != dropped.end()) {
      *help = "use a newer opsrun";
      return fmt::format("{} has it, but it needs features that this opsrun does not support", path);
    }
    *help = "build it again with the opsrun SDK, or report it to the plugin's author";
    return fmt::format("the notes of {} name it, but its table does not have it", path);
  }

  OpTrouble Conflict(const OpRequest& wanted, std::vector<size_t> claimants) const {
    std::vector<std::string> paths, choices;
    for (size_t entry : claimants) {
      const CatalogEntry& file = catalog_.entries[entry];
      paths.push_back(file.path);
      if (catalog_.EntriesNamed(file.note.name).size() == 1)
        choices.push_back(fmt::format("'{}.{}'", file.note.name, wanted.op));
    }
    std::string what =
        wanted.plugin.empty() ? fmt::format("have op '{}'", wanted.op) : fmt::format("are named '{}'", wanted.plugin);
    std::string help = "remove or rename all but one of the files";
    if (wanted.plugin.empty() && !choices.empty()) help = fmt::format("write {}", fmt::join(choices, " or "));
    return {OpTrouble::Kind::kConflict, wanted.text, std::move(claimants),
            fmt::format("{} both {}", fmt::join(paths, " and "), what), std::move(help)};
  }

  const Catalog& catalog_;
  OpenedFiles& files_;
  std::set<size_t> tried_;
  std::vector<size_t> order_;                               // in which files were opened
  std::map<size_t, std::shared_ptr<const Plugin>> opened_;  // by entry
  LoadResult result_;
};

// A file that turns out to be unusable must not hide or conflict with others, so loads again without it.
template <typename Load>
LoadResult LoadWithoutRefused(const Catalog& catalog, Load load) {
  LoadResult result = load(catalog);
  std::vector<LoadRefusal> refused = std::move(result.refused);
  Catalog rest;
  for (size_t known = 0; known < refused.size();) {
    std::vector<std::pair<size_t, Refusal>> out;
    for (const LoadRefusal& each : refused) out.emplace_back(each.entry, each.refusal);
    known = refused.size();
    rest = WithoutRefused(catalog, out);
    result = load(rest);
    refused.insert(refused.end(), result.refused.begin(), result.refused.end());
  }
  result.refused = std::move(refused);
  return result;
}

}  // namespace

LoadResult LoadPlugins(const Catalog& catalog, const std::vector<std::string>& op_names, OpenedFiles& files) {
  std::vector<OpRequest> wanted;
  std::set<std::string> seen;
  for (const std::string& name : op_names) {
    if (seen.insert(name).second) wanted.push_back(ParseOpRequest(name));
  }
  return LoadWithoutRefused(catalog, [&](const Catalog& rest) {
    Loader loader(rest, files);
    loader.Load(wanted);
    std::vector<OpTrouble> trouble;
    for (const OpRequest& each : wanted) {
      if (auto found = loader.TroubleOf(each)) trouble.push_back(*std::move(found));
    }
    LoadResult result = loader.Finish();
    result.trouble = std::move(trouble);
    for (const OpRequest& each : wanted) {
      const auto [first, last] = rest.hidden_ops.equal_range(each.plugin.empty() ? each.op : "");
      for (auto hidden = first; hidden != last; ++hidden) result.messages.push_back(hidden->second);
    }
    return result;
  });
}

LoadResult LoadAllPlugins(const Catalog& catalog, OpenedFiles& files) {
  return LoadWithoutRefused(catalog, [&](const Catalog& rest) {
    Loader loader(rest, files);
    for (size_t i = 0; i < rest.entries.size(); ++i) {
      if (rest.entries[i].usable()) loader.Open(i);
    }
    return loader.Finish();
  });
}

std::optional<Refusal> LookAtEntry(const std::string& path, const LookOptions& options, CatalogEntry* entry) {
  FileLook look = LookAtFile(path, options);
  if (look.kind == FileLook::Kind::kNotOurs || look.kind == FileLook::Kind::kNotLibrary)
    look.refusal.reason = "it is not a plugin: " + look.refusal.reason;
  if (look.kind != FileLook::Kind::kPlugin) return std::move(look.refusal);
  entry->path = path;
  entry->note = std::move(look.note);
  return std::nullopt;
}

LoadResult LoadFile(const std::string& path, const opsrun_host* host, const LookOptions& look) {
  LoadResult result;
  Catalog catalog;
  if (auto refusal = LookAtEntry(path, look, &catalog.entries.emplace_back())) {
    result.refused.push_back({0, *std::move(refusal)});
    return result;
  }
  OpenedFiles files(host, {}, look);
  Loader loader(catalog, files);
  loader.Open(0);
  return loader.Finish();
}

}  // namespace opsrun::host
