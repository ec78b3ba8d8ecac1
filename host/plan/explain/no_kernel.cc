// host/plan/explain/no_kernel.cc: says why none of an op's kernels fits a node.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/base/characters.h"
#include "host/base/near_names.h"
#include "host/plan/explain/attr_origin.h"
#include "host/plan/planning.h"
#include "host/spec/kernel_choice.h"

namespace opsrun::host {
namespace {

// Kernels that miss in the same way, shown in one line.
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

// Two kernels that differ in what they take of the one attr that does not fit.
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

// One for another device that misses as one for the CPU does says nothing new.
void LeaveOutTwins(std::vector<Miss>& misses) {
  const std::vector<Miss> all = misses;
  std::erase_if(misses, [&](const Miss& miss) {
    return miss.device && std::any_of(all.begin(), all.end(), [&](const Miss& other) {
             return !other.device && other.kernel.label == miss.kernel.label && other.attrs == miss.attrs;
           });
  });
}

// What was registered, nearest first.
std::vector<Miss> FindMisses(const NodeWork& work, const std::vector<const RegisteredKernel*>& kernels) {
  std::vector<Miss> misses;
  for (const RegisteredKernel* kernel : kernels) {
    Miss miss{kernel->def, kernel->def.device != kCpuKind, kernel->def.label != LabelOf(*work.node),
              spec::FailedConstraints(work.op->def, work.signature, kernel->def)};
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
  return fmt::format("{}={}", name, spec::AttrValueText(work.signature.attrs[work.op->def.IndexOf(*attr)]));
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
  return fmt::format("there is: {}   <- {}", spec::KernelText(miss.kernel), fmt::join(reasons, "; "));
}

// Where the values come from that do not fit: those that the node says are marked, the others are told.
void AddOrigins(const Planning& p, const NodeWork& work, const std::vector<Miss>& misses, Diagnostic& error) {
  std::vector<std::string> attrs;
  for (const Miss& miss : misses) AddMissing(miss.attrs, attrs);
  for (const std::string& attr : attrs) {
    const AttrOrigin origin = FindAttrOrigin(p, *work.node, work.op->def, attr);
    const Position& at = origin.where.begin;
    if (origin.written) {
      error.also.push_back({origin.where, AttrText(work, attr) + " is said here"});
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

// The values of the one attr that does not fit the nearest kernel, if the graph can say it.
std::string AttrHelp(const Planning& p, const NodeWork& work, const Miss& nearest) {
  const std::string& attr = nearest.attrs[0];
  const AttrOrigin origin = FindAttrOrigin(p, *work.node, work.op->def, attr);
  const bool sayable = origin.written || !origin.where.known();
  const auto constraint = std::find_if(nearest.kernel.constraints.begin(), nearest.kernel.constraints.end(),
                                       [&](const auto& each) { return each.attr == attr; });
  if (!sayable || constraint == nearest.kernel.constraints.end()) {
    return "change the types that reach it, or use another op";
  }
  spec::AttrValue allowed = constraint->allowed;
  allowed.type.list = false;
  return fmt::format("give '{}' a value that a kernel takes: {}", attr, spec::AttrValueText(allowed));
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
    error.also.push_back({work.node->label->span, "asked for here"});
  }
  for (const Miss& miss : misses) error.notes.push_back(MissText(miss, work));
  if (total > misses.size()) {
    error.notes.push_back(fmt::format("and {} more: opsrun explain {}", total - misses.size(), op));
  }
  if (kernels.empty()) {
    error.notes.push_back(fmt::format("no plugin has a kernel for '{}': it is declared, not implemented", op));
  }
  if (p.IsWorthExplaining()) AddOrigins(p, work, misses, error);
}

}  // namespace opsrun::host
