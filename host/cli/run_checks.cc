// host/cli/run_checks.cc: see run_checks.h.
// SPDX-License-Identifier: Apache-2.0
#include "host/cli/run_checks.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "host/base/units.h"
#include "host/tensor/compare.h"

namespace opsrun::host {
namespace {

Diagnostic& Error(const Plan& plan, const PlanCheck& check, Code code, std::string message, Diagnostics& diagnostics) {
  Diagnostic& error = diagnostics.Error(code, std::move(message));
  error.file = plan.graph().source->path;
  error.where = check.check->from.span;
  return error;
}

// "3 of 12 elements differ; here the difference is 0.5, allowed is 1e-05 (rtol 1e-05, atol 1e-08)"
std::string ExtentText(const Tensor& found, const PlanCheck& check, const Comparison& comparison) {
  const auto all = static_cast<size_t>(found.num_elements());
  std::string text =
      fmt::format("{} of {} differ{}", comparison.wrong, Several(all, "element"), comparison.wrong == 1 ? "s" : "");
  if (!std::isfinite(comparison.difference)) return text;
  return text + fmt::format("; here the difference is {:.6g}, allowed is {:.6g} (rtol {:g}, atol {:g})",
                            comparison.difference, comparison.allowed, check.tolerance.rtol, check.tolerance.atol);
}

bool Holds(const Plan& plan, const PlanCheck& check, const Tensor& found, Diagnostics& diagnostics) {
  if (found.shape() != check.expected.shape()) {
    Error(plan, check, "R405",
          fmt::format("check of '{}' failed: it has shape {}, expected {}", check.name, ShapeText(found.shape()),
                      ShapeText(check.expected.shape())),
          diagnostics);
    return false;
  }
  const Comparison worst = CompareTensors(found, check.expected, check.tolerance);
  if (worst.wrong == 0) return true;
  const std::string place = found.shape().empty() ? "" : " at " + IndexText(found.shape(), worst.place);
  const std::string is = ElementText(found, worst.place), should_be = ElementText(check.expected, worst.place);
  Diagnostic& error = Error(
      plan, check, "R405",
      fmt::format("check of '{}' failed{}: found {}, expected {}", check.name, place, is, should_be), diagnostics);
  error.notes.push_back(ExtentText(found, check, worst));
  if (is == should_be) {
    error.help.push_back("NaN equals nothing, not even NaN, unless the check says equal_nan: true");
  }
  return false;
}

}  // namespace

void RunChecks(const Plan& plan, const Lane& lane, Console& console, Diagnostics& diagnostics) {
  size_t passed = 0;
  for (const PlanCheck& check : plan.checks) {
    const Result<Tensor> found = lane.Value(check.value);
    if (found.ok()) {
      passed += Holds(plan, check, *found, diagnostics) ? 1 : 0;
    } else {
      Error(plan, check, "D102", fmt::format("check of '{}': {}", check.name, found.status().message()), diagnostics);
    }
  }
  if (plan.checks.empty()) return;
  console.Note(fmt::format("{} of {} checks passed", passed, plan.checks.size()));
}

}  // namespace opsrun::host
