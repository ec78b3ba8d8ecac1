// opsrun/internal/fill_kernel.h: converts the definition of a kernel to the struct of c_api.h.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "opsrun/internal/kept_text.h"
#include "opsrun/kernel_def.h"
#include "opsrun/namespace.h"

namespace OPSRUN_NAMESPACE OPSRUN_HIDDEN {

OPSRUN_COLD inline bool KernelDefBuilder::Fill(opsrun_kernel* kernel) const {
  kernel->size = sizeof(*kernel);
  kernel->flags = flags_;
  kernel->op = internal::KeepText(op_);
  kernel->device = internal::KeepText(device_ != nullptr ? device_ : "");
  kernel->label = internal::KeepText(label_);
  kernel->priority = priority_;

  auto* constraints = new opsrun_attr[n_constraints_]();
  for (uint32_t i = 0; i < n_constraints_; ++i) {
    const Constraint& from = constraints_[i];
    const Value* values = values_ + from.first;
    constraints[i].name = internal::KeepText(from.attr);
    constraints[i].kind = from.kind | OPSRUN_ATTR_LIST;
    constraints[i].count = from.count;
    if (from.kind == OPSRUN_ATTR_STRING) {
      auto* texts = new opsrun_str[from.count];
      for (uint32_t j = 0; j < from.count; ++j) texts[j] = internal::KeepText(values[j].text);
      constraints[i].v.strs = texts;
    } else {
      auto* numbers = new int64_t[from.count];
      for (uint32_t j = 0; j < from.count; ++j) numbers[j] = values[j].number;
      constraints[i].v.ints = numbers;
    }
  }
  kernel->constraints = constraints;
  kernel->n_constraints = n_constraints_;

  auto* host_memory = new opsrun_str[n_host_memory_];
  for (uint32_t i = 0; i < n_host_memory_; ++i) host_memory[i] = internal::KeepText(host_memory_[i]);
  kernel->host_memory = host_memory;
  kernel->n_host_memory = n_host_memory_;

  auto* aliases = new opsrun_alias[n_aliases_]();
  for (uint32_t i = 0; i < n_aliases_; ++i) {
    const KernelAlias& from = aliases_[i];
    aliases[i] = {internal::KeepText(from.output), internal::KeepText(from.input), from.kind, 0};
  }
  kernel->aliases = aliases;
  kernel->n_aliases = n_aliases_;
  return !too_large_;
}

}  // namespace OPSRUN_HIDDEN
