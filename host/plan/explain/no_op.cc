// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>

#include "host/base/display_text.h"
#include "host/base/text.h"
#include "host/plan/explain/explain.h"
#include "host/plan/planning.h"
#include "host/spec/infer_attrs.h"

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

// Files that may have the op, but could not be examined.
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
    d.notes.push_back(fmt::format("{} {} refused and {} not have it either; see: opsrun plugins", refused,
                                  refused == 1 ? "plugin was" : "plugins were", refused == 1 ? "does" : "do"));
  }
  NoteUnknown(entries, d);
  if (entries.empty()) d.notes.push_back("no plugin was found; see: opsrun plugins");
}

// For "plugin.Op": the op in other plugins, or similar names.
void SuggestOfPlugin(const OpRequest& wanted, const std::vector<size_t>& named, const Catalog& catalog, Diagnostic& d) {
  const std::vector<size_t> elsewhere = catalog.ClaimantsOf(wanted.op);
  if (!elsewhere.empty()) {
    const std::string& home = catalog.entries[elsewhere.front()].note.name;
    d.suggestion = fmt::format("{}.{}", home, wanted.op);
    d.help.push_back(fmt::format("write '{}': plugin '{}' has that op", d.suggestion, home));
  } else if (!catalog.ClaimantsOf(wanted.plugin).empty()) {
    d.help.push_back(fmt::format("'{}' is an op: write only its name", wanted.plugin));
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
    std::vector<std::string> places;
    for (const SearchedDirectory& place : catalog.places) places.push_back(place.directory);
    if (d.suggestion.empty() && !places.empty())
      d.notes.push_back(fmt::format("plugins were searched in {}", fmt::join(places, ", ")));
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

// Explains why none of an op's kernels matches a node.

namespace {

// Kernels that fail to match for the same reasons, shown in one line.
struct Miss {
  spec::KernelDef kernel;
  bool device = false;
  bool label = false;
  std::vector<std::string> attrs;  // whose constraints do not hold
};

size_t Distance(const Miss& miss) {
  return (miss.device ? 1000 : 0) + (miss.label ? 100 : 0) + miss.attrs.size();
}

const std::string& LabelOf(const Node& node) {
  static const std::string none;
  return node.label ? node.label->value : none;
}

spec::KernelDef Without(spec::KernelDef kernel, const std::string& attr) {
  std::erase_if(kernel.constraints, [&](const auto& constraint) { return constraint.attr == attr; });
  return kernel;
}

// True if the kernels differ only in the values that they allow for the one attr that does not match.
bool DifferInThatAttr(const Miss& a, const Miss& b) {
  if (a.attrs.size() != 1 || a.attrs != b.attrs) return false;
  return spec::KernelText(Without(a.kernel, a.attrs[0])) == spec::KernelText(Without(b.kernel, b.attrs[0]));
}

template <typename T>
void AddMissing(const std::vector<T>& from, std::vector<T>& to) {
  for (const T& value : from) {
    if (std::find(to.begin(), to.end(), value) == to.end()) to.push_back(value);
  }
}

void TakeOverValues(const Miss& from, Miss& to) {
  for (const spec::KernelDef::Constraint& more : from.kernel.constraints) {
    for (spec::KernelDef::Constraint& constraint : to.kernel.constraints) {
      if (constraint.attr != more.attr) continue;
      AddMissing(more.allowed.ints, constraint.allowed.ints);
      AddMissing(more.allowed.strings, constraint.allowed.strings);
    }
  }
}

// Drops kernels for other devices that fail to match for the same reasons as a CPU kernel.
void LeaveOutTwins(std::vector<Miss>& misses) {
  const std::vector<Miss> all = misses;
  std::erase_if(misses, [&](const Miss& miss) {
    return miss.device && std::any_of(all.begin(), all.end(), [&](const Miss& other) {
             return !other.device && other.kernel.label == miss.kernel.label && other.attrs == miss.attrs;
           });
  });
}

// The registered kernels, nearest first.
std::vector<Miss> FindMisses(const NodeWork& work, const std::vector<const RegisteredKernel*>& kernels) {
  std::vector<Miss> misses;
  for (const RegisteredKernel* kernel : kernels) {
    Miss miss{kernel->def, kernel->def.device != kCpuKind, kernel->def.label != LabelOf(*work.node),
              spec::FailedConstraints(work.op->def, *work.signature, kernel->def)};
    const auto like =
        std::find_if(misses.begin(), misses.end(), [&](const Miss& other) { return DifferInThatAttr(other, miss); });
    if (like == misses.end()) {
      misses.push_back(std::move(miss));
    } else {
      TakeOverValues(miss, *like);
    }
  }
  LeaveOutTwins(misses);
  std::stable_sort(misses.begin(), misses.end(),
                   [](const Miss& a, const Miss& b) { return Distance(a) < Distance(b); });
  return misses;
}

// "T=float32"
std::string AttrText(const NodeWork& work, const std::string& name) {
  const spec::AttrDef* attr = work.op->def.FindAttr(name);
  if (attr == nullptr) return name;
  return fmt::format("{}={}", name, spec::AttrValueText(work.signature->attrs[work.op->def.IndexOf(*attr)]));
}

std::string LabelText(const Miss& miss, const Node& node) {
  if (miss.kernel.label.empty()) return "it has no label";
  return node.label ? "another label" : fmt::format("only for nodes with label: {}", miss.kernel.label);
}

std::string MissText(const Miss& miss, const NodeWork& work) {
  std::vector<std::string> reasons;
  if (miss.device) reasons.push_back(fmt::format("not for the {}", kCpuKind));
  if (miss.label) reasons.push_back(LabelText(miss, *work.node));
  if (!miss.attrs.empty()) {
    std::vector<std::string> values;
    for (const std::string& attr : miss.attrs) values.push_back(AttrText(work, attr));
    reasons.push_back(fmt::format("this node has {}", fmt::join(values, ", ")));
  }
  return fmt::format("available: {}   <- {}", spec::KernelText(miss.kernel), fmt::join(reasons, "; "));
}

// Marks the mismatched values that the node sets, and adds notes about the origins of the others.
void AddOrigins(const Planning& p, const NodeWork& work, const std::vector<Miss>& misses, Diagnostic& error) {
  std::vector<std::string> attrs;
  for (const Miss& miss : misses) AddMissing(miss.attrs, attrs);
  for (const std::string& attr : attrs) {
    const AttrOrigin origin = FindAttrOrigin(p, *work.node, work.op->def, attr);
    const Position& at = origin.where.begin;
    if (origin.written) {
      error.also.push_back({origin.where, AttrText(work, attr) + " is set here"});
    } else if (!origin.where.known()) {
      error.notes.push_back(fmt::format("{} {}", AttrText(work, attr), origin.text));
    } else {
      error.notes.push_back(
          fmt::format("{} {} ({}:{}:{})", AttrText(work, attr), origin.text, p.graph.source->path, at.line, at.column));
    }
  }
}

// The labels of kernels whose constraints hold.
std::vector<std::string> LabelsThatFit(const std::vector<Miss>& misses) {
  std::vector<std::string> labels;
  for (const Miss& miss : misses) {
    if (!miss.device && miss.attrs.empty()) AddMissing<std::string>({miss.kernel.label}, labels);
  }
  std::erase(labels, "");
  return labels;
}

std::string LabelHelp(const Node& node, const std::vector<Miss>& misses) {
  const std::vector<std::string> labels = LabelsThatFit(misses);
  if (!node.label) return fmt::format("choose one: label: {}", fmt::join(labels, " or label: "));
  if (labels.empty()) return "leave 'label' out";
  return DidYouMean(node.label->value, labels, "labels");
}

// The allowed values of the one attr that does not match the nearest kernel, if the graph can set it.
std::string AttrHelp(const Planning& p, const NodeWork& work, const Miss& nearest) {
  const std::string& attr = nearest.attrs[0];
  const AttrOrigin origin = FindAttrOrigin(p, *work.node, work.op->def, attr);
  const bool sayable = origin.written || !origin.where.known();
  const auto constraint = std::find_if(nearest.kernel.constraints.begin(), nearest.kernel.constraints.end(),
                                       [&](const auto& each) { return each.attr == attr; });
  if (!sayable || constraint == nearest.kernel.constraints.end()) {
    return "change the types of its inputs, or use another op";
  }
  spec::AttrValue allowed = constraint->allowed;
  allowed.type.list = false;
  return fmt::format("set '{}' to a value that a kernel supports: {}", attr, spec::AttrValueText(allowed));
}

std::string Help(const Planning& p, const NodeWork& work, const std::vector<Miss>& misses) {
  if (misses.empty()) return "add the plugin that has its kernels to a plugin directory";
  const Miss& nearest = misses.front();
  if (nearest.device && !nearest.label && nearest.attrs.empty())
    return fmt::format("run it where it has a kernel: device: {}", LowerCase(nearest.kernel.device));
  if (nearest.device) return "use an op that has a kernel for the CPU, or add a plugin with one to a plugin directory";
  if (nearest.label && nearest.attrs.empty()) return LabelHelp(*work.node, misses);
  if (nearest.attrs.size() == 1) return AttrHelp(p, work, nearest);
  return "change the types and attrs of this node, or use another op";
}

}  // namespace

void ReportNoKernel(Planning& p, const NodeWork& work, const std::vector<const RegisteredKernel*>& kernels) {
  constexpr size_t kShown = 8;
  const std::string& op = work.op->def.name;
  std::vector<Miss> misses = FindMisses(work, kernels);
  const size_t total = misses.size();
  if (misses.size() > kShown) misses.resize(kShown);
  const std::string label = work.node->label ? fmt::format(" with label '{}'", work.node->label->value) : "";
  Diagnostic& error =
      p.Error("K301", fmt::format("no {} kernel of '{}'{} fits this node", kCpuKind, op, label), work.node->op.span);
  error.help.push_back(Help(p, work, misses));
  if (work.node->label && !misses.empty() && misses.front().label) {
    error.also.push_back({work.node->label->span, "requested here"});
  }
  for (const Miss& miss : misses) error.notes.push_back(MissText(miss, work));
  if (total > misses.size()) {
    error.notes.push_back(fmt::format("and {} more: opsrun explain {}", total - misses.size(), op));
  }
  if (kernels.empty()) {
    error.notes.push_back(fmt::format("no plugin has a kernel for '{}': the op is declared but not implemented", op));
    std::vector<std::string> of_no_op;
    for (const CatalogEntry& entry : p.in.catalog->entries) {
      for (const KernelNote& kernel : entry.note.kernels) {
        if (entry.usable() && p.in.catalog->ClaimantsOf(kernel.op).empty()) of_no_op.push_back(kernel.op);
      }
    }
    for (const std::string& near : NearNames(op, of_no_op))
      error.notes.push_back(fmt::format("there is a kernel for '{}', but no such op: is its name misspelled?", near));
  }
  if (p.IsWorthExplaining()) AddOrigins(p, work, misses, error);
}

}  // namespace opsrun::host
