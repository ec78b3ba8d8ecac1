// host/plan/choose_kernel.cc: the kernel of a node.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "host/plan/planning.h"
#include "host/spec/kernel_choice.h"

namespace opsrun::host {
namespace {

using Kernels = std::vector<const RegisteredKernel*>;

void ReportAmbiguous(Planning& p, const NodeWork& work, const Kernels& kernels, const spec::KernelChoice& choice) {
  Diagnostic& error = p.Error("K302", choice.message, work.node->op.span);
  const Plugin* first = kernels[static_cast<size_t>(choice.tied.front())]->plugin;
  const bool one_file = std::all_of(choice.tied.begin(), choice.tied.end(),
                                    [&](int tied) { return kernels[static_cast<size_t>(tied)]->plugin == first; });
  for (const int tied : choice.tied) {
    const RegisteredKernel& kernel = *kernels[static_cast<size_t>(tied)];
    error.notes.push_back(fmt::format("{}: {}", kernel.plugin->path, spec::KernelText(kernel.def)));
  }
  error.help.push_back(one_file ? "one of them needs a higher Priority(), or a Label() of its own; tell the plugin's "
                                  "author"
                                : "remove one of the plugins, or give one kernel a higher Priority()");
}

using Outcome = spec::KernelChoice::Outcome;

// A node that says its device itself is refused there too, if that is what the caller asks for.
void ReportOtherDevice(Planning& p, const NodeWork& work, const Device& device) {
  const Span where = work.node->device ? work.node->device->span : work.node->op.span;
  Diagnostic& error = p.Error("K304",
                              fmt::format("'{}' has no {} kernel for this node, which is to run on {}",
                                          work.op->def.name, device.kind(), device.name()),
                              where);
  error.help.push_back("write device: cpu, or leave --strict-placement out: then it runs on the CPU, with copies");
}

// Those that the device can run. On the CPU all are of interest, for messages about what does not fit.
Kernels KernelsOn(const Kernels& all, const Device* device) {
  Kernels fit;
  std::copy_if(all.begin(), all.end(), std::back_inserter(fit), [&](const RegisteredKernel* kernel) {
    return device == nullptr || kernel->plugin->emulated == device->is_double();
  });
  return fit;
}

bool IsFound(const spec::KernelChoice& choice) {
  return choice.outcome != Outcome::kNotFound;
}

}  // namespace

bool PlanKernel(Planning& p, NodeWork& work) {
  const std::optional<Device*> wanted = FindDevice(p, *work.node);
  if (!wanted) return false;
  Device* device = *wanted;
  Kernels kernels;
  const auto choose = [&] {
    kernels = KernelsOn(p.in.loaded->registry.KernelsFor(*work.op), device);
    std::vector<const spec::KernelDef*> defs;
    for (const RegisteredKernel* kernel : kernels) defs.push_back(&kernel->def);
    const std::string label = work.node->label ? work.node->label->value : "";
    return spec::ChooseKernel(work.op->def, work.signature, defs, device == nullptr ? kCpuKind : device->kind(), label);
  };
  spec::KernelChoice choice = choose();
  if (!IsFound(choice) && device != nullptr) {
    device = nullptr;
    choice = choose();
    if (IsFound(choice) && p.in.strict_placement) {
      ReportOtherDevice(p, work, **wanted);
      return false;
    }
  }
  work.device = IndexOfDevice(p.plan, device);
  switch (choice.outcome) {
    case Outcome::kChosen:
      work.kernel = kernels[static_cast<size_t>(choice.chosen)];
      return true;
    case Outcome::kNotFound:
      ReportNoKernel(p, work, kernels);
      return false;
    case Outcome::kAmbiguous:
      ReportAmbiguous(p, work, kernels, choice);
      return false;
    default:
      p.Error("K303", choice.message, work.node->op.span)
          .help.push_back("this is a mistake in the plugin; report it to its author");
      return false;
  }
}

}  // namespace opsrun::host
