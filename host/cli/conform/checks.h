// host/cli/conform/checks.h: the checks of the table, and what they share. Private to these files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "host/cli/conform/conform.h"

namespace opsrun::host {

// The first problem for which `why` returns a text. Problems without results are left out: the check of shapes has
// them.
template <typename Why>
std::optional<Flaw> ForEach(const Tested& tested, const Why& why) {
  for (const Problem& problem : tested.problems) {
    if (problem.expected.size() != problem.op->signature().out_types.size()) continue;
    tested.begins(problem);
    std::string message = why(problem);
    if (!message.empty()) return Flaw{std::move(message), &problem};
  }
  return std::nullopt;
}

// "the kernel failed: INVALID_ARGUMENT: why".
std::string Failed(const Outcome& outcome);

// Calls each problem so arranged and compares the result with the expected one. how: "with ...".
std::optional<Flaw> Same(const Tested& tested, const Arrangement& arrangement, std::string_view how, bool exact = true);

std::optional<Flaw> CheckShapes(const Tested& tested);
std::optional<Flaw> CheckOutputs(const Tested& tested);
std::optional<Flaw> CheckGuards(const Tested& tested);
std::optional<Flaw> CheckInputs(const Tested& tested);
std::optional<Flaw> CheckReadOnly(const Tested& tested);
std::optional<Flaw> CheckUnaligned(const Tested& tested);
std::optional<Flaw> CheckLate(const Tested& tested);
std::optional<Flaw> CheckForward(const Tested& tested);
std::optional<Flaw> CheckInPlace(const Tested& tested);
std::optional<Flaw> CheckRepeat(const Tested& tested);
std::optional<Flaw> CheckLoops(const Tested& tested);
std::optional<Flaw> CheckThreads(const Tested& tested);
std::optional<Flaw> CheckState(const Tested& tested);
std::optional<Flaw> CheckCancel(const Tested& tested);
std::optional<Flaw> CheckLeaks(const Tested& tested);
std::optional<Flaw> CheckLifetime(const Tested& tested);
std::optional<Flaw> CheckEngine(const Tested& tested);
std::optional<Flaw> CheckGradient(const Tested& tested);

}  // namespace opsrun::host
