// host/engine/check_declared_gradient.cc: see check_declared_gradient.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/engine/check_declared_gradient.h"

#include <fmt/core.h>

#include "host/gradient/check_gradient.h"
#include "host/gradient/differentiate.h"
#include "host/gradient/gradient_text.h"

namespace opsrun::host {

void CheckDeclaredGradient(Engine& engine, const RegisteredOp& op, Diagnostics& diagnostics) {
  std::vector<std::string> ops = GradientText(op).OpNames();
  ops.insert(ops.end(), DifferentiationOps().begin(), DifferentiationOps().end());
  ops.push_back(fmt::format("{}.{}", op.plugin->name, op.def.name));
  const std::shared_ptr<const Catalog> catalog = engine.catalog();
  const LoadResult loaded = engine.Open(*catalog, ops);
  CheckGradient(op, {loaded, *catalog}, engine.host(), diagnostics);
}

}  // namespace opsrun::host
