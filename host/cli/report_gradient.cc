// host/cli/report_gradient.cc: see report_gradient.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/report_gradient.h"

#include <fmt/core.h>

#include "host/engine/check_declared_gradient.h"
#include "host/gradient/gradient_text.h"

namespace opsrun::host {

int ReportGradient(Engine& engine, const RegisteredOp& op, Console& console) {
  if (op.gradient.empty()) return kExitOk;
  Diagnostics found;
  CheckDeclaredGradient(engine, op, found);
  for (Diagnostic& d : found.all()) {
    d.notes.push_back(fmt::format("op '{}' still runs, but graphs with it cannot be differentiated", op.def.name));
  }
  console.Report(found, GradientSource(op).get());
  return ExitCode(found);
}

}  // namespace opsrun::host
