// host/plan/explain/no_op.cc: says why a node's op is not to be had.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/base/near_names.h"
#include "host/base/suggest.h"
#include "host/plan/planning.h"

namespace opsrun::host {
namespace {

void ReportTrouble(Planning& p, const Node& node, const OpTrouble& trouble) {
  const bool refused = trouble.kind == OpTrouble::Kind::kRefused;
  Diagnostic& error =
      p.Error(refused ? Code("P201") : Code("G202"),
              refused ? fmt::format("op '{}' is refused: {}", node.op.value, trouble.why)
                      : fmt::format("op '{}' is in more than one plugin of the same directory", node.op.value),
              node.op.span);
  if (!refused) error.notes.push_back(trouble.why);
  error.help.push_back(trouble.help);
}

void NoteRefused(const Planning& p, Diagnostic& error) {
  const auto& entries = p.in.catalog->entries;
  const auto refused =
      std::count_if(entries.begin(), entries.end(), [](const CatalogEntry& e) { return e.refusal.has_value(); });
  if (refused > 0) {
    error.notes.push_back(fmt::format("{} {} refused and {} not claim it either; see: opsrun plugins", refused,
                                      refused == 1 ? "plugin was" : "plugins were", refused == 1 ? "does" : "do"));
  }
  if (entries.empty()) error.notes.push_back("no plugin was found; see: opsrun plugins");
}

void ReportUnknown(Planning& p, const Node& node) {
  Diagnostic& error = p.Error("G201", fmt::format("no op named '{}'", node.op.value), node.op.span, "unknown op");
  if (!p.IsWorthExplaining()) return;
  SuggestName(error, node.op.value, p.in.catalog->OpNames(), "ops");
  NoteRefused(p, error);
}

// "plugin.Op": what there is of it.
void ReportUnknownOfPlugin(Planning& p, const Node& node, const OpRequest& wanted) {
  const Catalog& catalog = *p.in.catalog;
  const std::vector<size_t> named = catalog.EntriesNamed(wanted.plugin);
  const std::string message = named.empty() ? fmt::format("there is no plugin '{}'", wanted.plugin)
                                            : fmt::format("plugin '{}' has no op '{}'", wanted.plugin, wanted.op);
  Diagnostic& error = p.Error("G201", message, node.op.span, "unknown op");
  if (!p.IsWorthExplaining()) return;
  const std::vector<size_t> elsewhere = catalog.ClaimantsOf(wanted.op);
  if (!elsewhere.empty()) {
    const std::string& home = catalog.entries[elsewhere.front()].note.name;
    error.suggestion = fmt::format("{}.{}", home, wanted.op);
    error.help.push_back(fmt::format("write '{}': plugin '{}' has that op", error.suggestion, home));
  } else if (!catalog.ClaimantsOf(wanted.plugin).empty()) {
    error.help.push_back(fmt::format("'{}' is an op: write it alone", wanted.plugin));
  } else if (named.empty()) {
    error.help.push_back(DidYouMean(wanted.plugin, catalog.PluginNames(), "plugins"));
  } else {
    std::vector<std::string> near = NearNames(wanted.op, catalog.entries[named.front()].note.ops);
    for (std::string& op : near) op = fmt::format("{}.{}", wanted.plugin, op);
    if (!near.empty()) error.suggestion = near.front();
    error.help.push_back(near.empty() ? "'opsrun ops' lists the ops of each plugin"
                                      : fmt::format("did you mean '{}'?", fmt::join(near, "' or '")));
  }
  NoteRefused(p, error);
}

}  // namespace

void ReportNoOp(Planning& p, const Node& node) {
  const OpTrouble* trouble = p.TroubleWith(node.op.value);
  if (trouble != nullptr && trouble->kind != OpTrouble::Kind::kUnknown) {
    ReportTrouble(p, node, *trouble);
  } else if (const OpRequest wanted = ParseOpRequest(node.op.value); !wanted.plugin.empty()) {
    ReportUnknownOfPlugin(p, node, wanted);
  } else {
    ReportUnknown(p, node);
  }
}

}  // namespace opsrun::host
