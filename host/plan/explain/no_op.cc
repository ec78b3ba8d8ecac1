// host/plan/explain/no_op.cc
// SPDX-License-Identifier: Apache-2.0
#include "host/plan/explain/no_op.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/base/diagnostic.h"
#include "host/base/near_names.h"
#include "host/base/units.h"
#include "host/plan/planning.h"

namespace opsrun::host {
namespace {

Diagnostic Troubled(const std::string& op, const OpTrouble& trouble) {
  if (trouble.out_of_memory)
    return MakeError("D100", fmt::format("no memory for op '{}': {}", op, trouble.why), trouble.help);
  if (trouble.kind == OpTrouble::Kind::kRefused) {
    return MakeError("P201", fmt::format("op '{}' is refused: {}", op, trouble.why), trouble.help);
  }
  Diagnostic d =
      MakeError("G202", fmt::format("op '{}' is in more than one plugin of the same directory", op), trouble.help);
  d.notes.push_back(trouble.why);
  return d;
}

// Files that may have the op, but nobody can look into them.
void NoteUnknown(const std::vector<CatalogEntry>& entries, Diagnostic& d) {
  constexpr ptrdiff_t kShown = 3;
  ptrdiff_t unknown = 0;
  for (const CatalogEntry& entry : entries) {
    if (!entry.is_unknown() || ++unknown > kShown) continue;
    d.notes.push_back(fmt::format("{} may have it, but is not used: {}; {}", entry.path, entry.refusal->reason,
                                  entry.refusal->remedy));
  }
  if (unknown > kShown)
    d.notes.push_back(fmt::format("so may {}; see: opsrun plugins", Several(unknown - kShown, "other file")));
}

void NoteRefused(const Catalog& catalog, Diagnostic& d) {
  const auto& entries = catalog.entries;
  const auto refused =
      std::count_if(entries.begin(), entries.end(), [](const CatalogEntry& e) { return e.refusal && !e.is_unknown(); });
  if (refused > 0) {
    d.notes.push_back(fmt::format("{} {} refused and {} not claim it either; see: opsrun plugins", refused,
                                  refused == 1 ? "plugin was" : "plugins were", refused == 1 ? "does" : "do"));
  }
  NoteUnknown(entries, d);
  if (entries.empty()) d.notes.push_back("no plugin was found; see: opsrun plugins");
}

// "plugin.Op": what there is of it.
void SuggestOfPlugin(const OpRequest& wanted, const std::vector<size_t>& named, const Catalog& catalog, Diagnostic& d) {
  const std::vector<size_t> elsewhere = catalog.ClaimantsOf(wanted.op);
  if (!elsewhere.empty()) {
    const std::string& home = catalog.entries[elsewhere.front()].note.name;
    d.suggestion = fmt::format("{}.{}", home, wanted.op);
    d.help.push_back(fmt::format("write '{}': plugin '{}' has that op", d.suggestion, home));
  } else if (!catalog.ClaimantsOf(wanted.plugin).empty()) {
    d.help.push_back(fmt::format("'{}' is an op: write it alone", wanted.plugin));
  } else if (named.empty()) {
    d.help.push_back(DidYouMean(wanted.plugin, catalog.PluginNames(), "plugins"));
  } else {
    std::vector<std::string> near = NearNames(wanted.op, catalog.entries[named.front()].note.ops);
    for (std::string& op : near) op = fmt::format("{}.{}", wanted.plugin, op);
    if (!near.empty()) d.suggestion = near.front();
    d.help.push_back(near.empty() ? "'opsrun ops' lists the ops of each plugin"
                                  : fmt::format("did you mean '{}'?", fmt::join(near, "' or '")));
  }
}

}  // namespace

Diagnostic NoOp(const std::string& op, const OpTrouble* trouble, const Catalog& catalog, bool explain) {
  if (trouble != nullptr && trouble->kind != OpTrouble::Kind::kUnknown) return Troubled(op, *trouble);
  Diagnostic d = MakeError("G201", fmt::format("no op named '{}'", op));
  d.label = "unknown op";
  const OpRequest wanted = ParseOpRequest(op);
  if (!wanted.plugin.empty()) {
    const std::vector<size_t> named = catalog.EntriesNamed(wanted.plugin);
    d.message = named.empty() ? fmt::format("there is no plugin '{}'", wanted.plugin)
                              : fmt::format("plugin '{}' has no op '{}'", wanted.plugin, wanted.op);
    if (explain) SuggestOfPlugin(wanted, named, catalog, d);
  } else if (explain) {
    SuggestName(d, op, catalog.OpNames(), "ops");
  }
  if (explain) NoteRefused(catalog, d);
  return d;
}

void ReportNoOp(Planning& p, const Node& node) {
  Diagnostic d = NoOp(node.op.value, p.TroubleWith(node.op.value), *p.in.catalog, p.IsWorthExplaining());
  d.file = p.graph.source->path;
  d.where = node.op.span;
  p.diagnostics.all().push_back(std::move(d));
}

}  // namespace opsrun::host
