// host/show/kernel_reason.cc: what a node's kernel runs on, and why the node got it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "host/base/characters.h"
#include "host/show/plan_facts.h"

namespace opsrun::host {
namespace {

// "T=int32, mode='SAME'": what the kernel asked for, and found.
std::string ConstraintsText(const spec::OpDef& op, const spec::Signature& signature, const spec::KernelDef& kernel) {
  std::string text;
  for (const spec::KernelDef::Constraint& constraint : kernel.constraints) {
    const spec::AttrDef* attr = op.FindAttr(constraint.attr);
    if (attr == nullptr) continue;
    const spec::AttrValue& value = signature.attrs[op.IndexOf(*attr)];
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", constraint.attr, spec::AttrValueText(value));
  }
  return text;
}

}  // namespace

std::string DeviceText(const spec::KernelDef& kernel) {
  return LowerCase(kernel.device);
}

std::string KernelReason(const PlanFacts& facts, const Step& step) {
  const spec::OpDef& op = step.op->def;
  const spec::Signature& signature = *facts.resolution.nodes[step.node].signature;
  const std::vector<const RegisteredKernel*>& all = facts.registry.KernelsFor(*step.op);
  const auto fits = [&](const RegisteredKernel* kernel) {
    return kernel->def.device == step.kernel->def.device && kernel->def.label == step.kernel->def.label &&
           spec::FailedConstraints(op, signature, kernel->def).empty();
  };
  const auto fitting = std::count_if(all.begin(), all.end(), fits);
  std::string reason = all.size() == 1 ? "the only one"
                       : fitting == 1  ? fmt::format("the only one of {} that fits", all.size())
                                       : fmt::format("the highest priority of the {} that fit", fitting);
  const std::string found = ConstraintsText(op, signature, step.kernel->def);
  return found.empty() ? reason : reason + ": " + found;
}

}  // namespace opsrun::host
