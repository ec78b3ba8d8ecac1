// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "host/cli/conform/checks.h"

namespace opsrun::host {

std::optional<Flaw> CheckOutputs(const Tested& tested) {
  return ForEach(tested, [&](const Problem& problem) -> std::string {
    std::vector<std::vector<Tensor>> results;
    for (const int fill : {0x00, 0xFF, 0x4D}) {
      const Outcome outcome = tested.host.Call(problem.call, {.fill = static_cast<uint8_t>(fill)});
      if (!outcome.ok()) return Failed(outcome);
      results.push_back(outcome.outputs);
    }
    for (size_t i = 1; i < results.size(); ++i) {
      const std::string difference = Difference(problem, results[i], results[0], true);
      if (!difference.empty()) return fmt::format("with other contents of fresh memory: {}", difference);
    }
    return {};
  });
}

std::optional<Flaw> CheckGuards(const Tested& tested) {
  return ForEach(tested, [&](const Problem& problem) -> std::string {
    for (const Fit fit : {Fit::kAligned, Fit::kAtStart}) {
      const Outcome outcome = tested.host.Call(problem.call, {.fit = fit});
      if (!outcome.damage.empty()) return outcome.damage;
    }
    return {};
  });
}

std::optional<Flaw> CheckInputs(const Tested& tested) {
  return ForEach(tested, [&](const Problem& problem) -> std::string {
    const Outcome outcome = tested.host.Call(problem.call, {});
    if (outcome.changed_input.empty()) return {};
    return fmt::format("the kernel wrote to input '{}', which belongs to other nodes", outcome.changed_input);
  });
}

std::optional<Flaw> CheckReadOnly(const Tested& tested) {
  return Same(tested, {.read_only = true}, "with inputs that cannot be written");
}

std::optional<Flaw> CheckUnaligned(const Tested& tested) {
  return Same(tested, {.fit = Fit::kExact}, "with tensors that are aligned for their elements only");
}

std::optional<Flaw> CheckLate(const Tested& tested) {
  return Same(tested, {.planned = false}, "without memory that is planned before the call");
}

std::optional<Flaw> CheckForward(const Tested& tested) {
  return Same(tested, {.planned = false, .forwards = true}, "with outputs in the memory of forwarded inputs");
}

std::optional<Flaw> CheckInPlace(const Tested& tested) {
  return Same(tested, {.in_place = true}, "with an output in the memory of an input, as its kernel allows");
}

}  // namespace opsrun::host
