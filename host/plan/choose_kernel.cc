// host/plan/choose_kernel.cc: the kernel of a node, or why none fits.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/plan/planning.h"
#include "host/spec/kernel_choice.h"

namespace opsrun::host {
namespace {

constexpr char kDevice[] = "CPU";

// "T=float32"
std::string AttrText(const spec::OpDef& op, const spec::Signature& signature, const std::string& name) {
  for (size_t i = 0; i < op.attrs.size(); ++i) {
    if (op.attrs[i].name == name) return fmt::format("{}={}", name, spec::AttrValueText(signature.attrs[i]));
  }
  return name;
}

// What was registered, nearest first, each with the constraints that do not hold.
void AddNearest(Diagnostic& error, const NodeWork& work, const std::vector<const RegisteredKernel*>& kernels) {
  const spec::OpDef& op = work.op->def;
  constexpr size_t kShown = 8;
  for (size_t i = 0; i < kernels.size() && i < kShown; ++i) {
    std::string differs;
    for (const std::string& attr : spec::FailedConstraints(op, work.signature, kernels[i]->def)) {
      differs +=
          fmt::format("{}{}", differs.empty() ? "   <- this node has " : ", ", AttrText(op, work.signature, attr));
    }
    if (kernels[i]->def.device != kDevice) differs += fmt::format("   <- not for the {}", kDevice);
    error.notes.push_back(fmt::format("there is: {}{}", spec::KernelText(kernels[i]->def), differs));
  }
  if (kernels.size() > kShown)
    error.notes.push_back(fmt::format("and {} more: opsrun explain {}", kernels.size() - kShown, op.name));
  if (kernels.empty())
    error.notes.push_back(fmt::format("no plugin has a kernel for '{}': it is declared, not implemented", op.name));
}

void ReportNone(Planning& p, const NodeWork& work, const std::vector<const RegisteredKernel*>& kernels) {
  Diagnostic& error = p.Error("K301", fmt::format("no {} kernel of '{}' fits this node", kDevice, work.op->def.name),
                              work.node->op.span);
  AddNearest(error, work, kernels);
  error.help.push_back(kernels.empty() ? "add the plugin that has its kernels to a plugin directory"
                                       : "change the types that reach it, or use another op");
}

}  // namespace

bool PlanKernel(Planning& p, NodeWork& work) {
  const std::vector<const RegisteredKernel*>& kernels = p.in.loaded->registry.KernelsFor(*work.op);
  std::vector<const spec::KernelDef*> defs;
  for (const RegisteredKernel* kernel : kernels) defs.push_back(&kernel->def);
  const spec::KernelChoice choice = spec::ChooseKernel(work.op->def, work.signature, defs, kDevice, "");
  switch (choice.outcome) {
    case spec::KernelChoice::Outcome::kChosen:
      work.kernel = kernels[choice.chosen];
      return true;
    case spec::KernelChoice::Outcome::kNotFound:
      ReportNone(p, work, kernels);
      return false;
    case spec::KernelChoice::Outcome::kAmbiguous: {
      Diagnostic& error = p.Error("K302", choice.message, work.node->op.span);
      for (int tied : choice.tied)
        error.notes.push_back(fmt::format("{}: {}", kernels[tied]->plugin->path, spec::KernelText(kernels[tied]->def)));
      error.help.push_back("remove one of the plugins, or give one kernel a higher Priority()");
      return false;
    }
    default:
      p.Error("K303", choice.message, work.node->op.span)
          .help.push_back("this is a mistake in the plugin; tell its author");
      return false;
  }
}

}  // namespace opsrun::host
