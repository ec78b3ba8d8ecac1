// host/show/compat_report.cc: see compat_report.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/show/compat_report.h"

#include <fmt/format.h>

#include <set>
#include <utility>
#include <vector>

#include "host/show/display_text.h"
#include "host/spec/compat.h"

namespace opsrun::host {
namespace {

using spec::OpChange;
using spec::OpDef;

constexpr size_t kRuleWidth = 26;  // the longest rule

const OpDef* Find(const Registry* registry, const std::string& name) {
  const RegisteredOp* op = registry == nullptr ? nullptr : registry->FindOp(name);
  return op == nullptr ? nullptr : &op->def;
}

std::vector<OpChange> Compare(const OpDef* old_op, const OpDef* mid_op, const OpDef* new_op) {
  if (old_op == nullptr) old_op = std::exchange(mid_op, nullptr);
  if (old_op == nullptr) return {{true, "op_added", "the op is new"}};
  if (new_op == nullptr) return {{false, "op_removed", "the op is gone"}};
  std::vector<OpChange> changes = CompareOps(*old_op, *new_op);
  std::vector<OpChange> defaults = CompareDefaults(*old_op, *new_op);
  changes.insert(changes.end(), defaults.begin(), defaults.end());
  if (mid_op == nullptr) return changes;
  std::vector<OpChange> added = CompareAddedDefaults(*old_op, *mid_op, *new_op);
  changes.insert(changes.end(), added.begin(), added.end());
  return changes;
}

void Add(const std::string& op, const std::vector<OpChange>& changes, CompatReport* report) {
  if (changes.empty()) {
    ++report->equal;
    return;
  }
  report->text += op + "\n";
  for (const OpChange& change : changes) {
    ++(change.safe ? report->safe : report->unsafe);
    report->text +=
        fmt::format("  {:<8}{:<{}}  {}\n", change.safe ? "safe" : "unsafe", change.rule, kRuleWidth, change.message);
  }
}

}  // namespace

CompatReport ComparePlugins(const Registry& old_ops, const Registry* mid_ops, const Registry& new_ops) {
  std::set<std::string> names;
  for (const Registry* registry : {&old_ops, mid_ops, &new_ops}) {
    if (registry == nullptr) continue;
    for (const RegisteredOp* op : registry->Ops()) names.insert(op->def.name);
  }
  CompatReport report;
  for (const std::string& name : names) {
    Add(name, Compare(Find(&old_ops, name), Find(mid_ops, name), Find(&new_ops, name)), &report);
  }
  report.text = Printable(report.text);
  return report;
}

}  // namespace opsrun::host
