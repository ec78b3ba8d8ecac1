// tests/sdk/registered.h: finds registrations in a plugin's table.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "opsrun/c_api.h"
#include "tests/sdk/fake_host.h"

namespace opsrun_test {

// NULL if the table, by default this program's own, does not have the op.
inline const opsrun_op* RegisteredOp(const std::string& name, opsrun_entry_fn entry = &opsrun_plugin_v1) {
  FakeHost host;
  const opsrun_plugin* table = entry(host.table());
  for (uint32_t i = 0; i < table->n_ops; ++i) {
    if (Text(table->ops[i]->name) == name) return table->ops[i];
  }
  return nullptr;
}

// The first kernel of the op; with a label, the first one with that label.
inline const opsrun_kernel* RegisteredKernel(const std::string& op, opsrun_entry_fn entry = &opsrun_plugin_v1,
                                             const std::string& label = "") {
  FakeHost host;
  const opsrun_plugin* table = entry(host.table());
  for (uint32_t i = 0; i < table->n_kernels; ++i) {
    if (Text(table->kernels[i]->op) == op && Text(table->kernels[i]->label) == label) return table->kernels[i];
  }
  return nullptr;
}

}  // namespace opsrun_test
