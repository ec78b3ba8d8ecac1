// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "host/spec/infer_attrs.h"

namespace opsrun::host::spec {
namespace {

constexpr std::string_view kAnyDevice = "DEFAULT";

enum class Match { kHolds, kFails, kBad };

// The node's value of the constrained attr; null if the op has no such attr, or one that cannot be compared.
const AttrValue* ConstrainedValue(const OpDef& op, const Signature& signature,
                                  const KernelDef::Constraint& constraint) {
  const AttrDef* attr = op.FindAttr(constraint.attr);
  if (attr == nullptr) return nullptr;
  const AttrValue* value = &signature.attrs[op.IndexOf(*attr)];
  const uint32_t kind = constraint.allowed.type.kind;
  const bool is_comparable =
      kind == OPSRUN_ATTR_INT || kind == OPSRUN_ATTR_BOOL || kind == OPSRUN_ATTR_STRING || kind == OPSRUN_ATTR_TYPE;
  const bool may_be_list = kind == OPSRUN_ATTR_TYPE;
  return is_comparable && value->type.kind == kind && (may_be_list || !value->type.list) ? value : nullptr;
}

template <typename T>
bool AllIn(const std::vector<T>& values, const std::vector<T>& allowed) {
  return std::all_of(values.begin(), values.end(),
                     [&](const T& value) { return std::find(allowed.begin(), allowed.end(), value) != allowed.end(); });
}

Match MatchConstraint(const OpDef& op, const Signature& signature, const KernelDef::Constraint& constraint) {
  const AttrValue* value = ConstrainedValue(op, signature, constraint);
  if (value == nullptr) return Match::kBad;
  const bool holds = AllIn(value->ints, constraint.allowed.ints) && AllIn(value->strings, constraint.allowed.strings);
  return holds ? Match::kHolds : Match::kFails;
}

// The kernels for one device and label.
struct Candidates {
  std::vector<int> matching;
  bool attr_mismatch = false;
  std::string bad_constraint;  // a sentence
};

Candidates FindCandidates(const OpDef& op, const Signature& signature, const std::vector<const KernelDef*>& kernels,
                          std::string_view device, const std::string& label) {
  Candidates found;
  for (size_t i = 0; i < kernels.size(); ++i) {
    const KernelDef& kernel = *kernels[i];
    if (kernel.device != device || kernel.label != label) continue;
    bool holds = true;
    for (const KernelDef::Constraint& constraint : kernel.constraints) {
      const Match match = MatchConstraint(op, signature, constraint);
      holds = holds && match == Match::kHolds;
      if (match != Match::kBad || !found.bad_constraint.empty()) continue;
      found.bad_constraint = fmt::format(
          "the kernel {} of op '{}' is constrained by '{}', which is not an attr of this op with such values",
          KernelText(kernel), op.name, constraint.attr);
    }
    if (holds) found.matching.push_back(static_cast<int>(i));
    found.attr_mismatch = found.attr_mismatch || !holds;
  }
  return found;
}

KernelChoice Ambiguous(const OpDef& op, const std::vector<const KernelDef*>& kernels, std::vector<int> tied) {
  KernelChoice choice;
  choice.outcome = KernelChoice::Outcome::kAmbiguous;
  std::string text;
  for (int i : tied) text += (text.empty() ? "" : "; ") + KernelText(*kernels[static_cast<size_t>(i)]);
  choice.message = fmt::format("{} kernels of op '{}' fit equally well: {}", tied.size(), op.name, text);
  choice.tied = std::move(tied);
  return choice;
}

// The kernels with the highest priority.
std::vector<int> Best(const std::vector<const KernelDef*>& kernels, const std::vector<int>& matching) {
  auto priority = [&](int i) { return kernels[static_cast<size_t>(i)]->priority; };
  std::vector<int> best;
  for (int i : matching) {
    if (!best.empty() && priority(i) < priority(best[0])) continue;
    if (!best.empty() && priority(i) > priority(best[0])) best.clear();
    best.push_back(i);
  }
  return best;
}

}  // namespace

std::string KernelText(const KernelDef& kernel) {
  std::string text = kernel.device;
  for (const KernelDef::Constraint& constraint : kernel.constraints) {
    AttrValue allowed = constraint.allowed;
    allowed.type.list = false;
    text += fmt::format(", {} in {{{}}}", constraint.attr, AttrValueText(allowed));
  }
  if (!kernel.label.empty()) text += fmt::format(", label '{}'", kernel.label);
  if (kernel.priority != 0) text += fmt::format(", priority {}", kernel.priority);
  return text;
}

KernelChoice ChooseKernel(const OpDef& op, const Signature& signature, const std::vector<const KernelDef*>& kernels,
                          const std::string& device, const std::string& label) {
  KernelChoice choice;
  for (std::string_view where : {std::string_view(device), kAnyDevice}) {
    Candidates found = FindCandidates(op, signature, kernels, where, label);
    if (!found.bad_constraint.empty()) {
      choice.outcome = KernelChoice::Outcome::kBadConstraint;
      choice.message = std::move(found.bad_constraint);
      return choice;
    }
    // Kernels for any device have no order: their priorities were set relative to kernels of one device.
    std::vector<int> best = where == kAnyDevice ? found.matching : Best(kernels, found.matching);
    if (best.size() > 1) return Ambiguous(op, kernels, std::move(best));
    if (best.size() == 1) {
      choice.outcome = KernelChoice::Outcome::kChosen;
      choice.chosen = best[0];
      return choice;
    }
    choice.attr_mismatch = choice.attr_mismatch || found.attr_mismatch;
  }
  return choice;
}

std::vector<std::string> FailedConstraints(const OpDef& op, const Signature& signature, const KernelDef& kernel) {
  std::vector<std::string> failed;
  for (const KernelDef::Constraint& constraint : kernel.constraints) {
    if (MatchConstraint(op, signature, constraint) != Match::kHolds) failed.push_back(constraint.attr);
  }
  return failed;
}

}  // namespace opsrun::host::spec
