// host/measure/node_facts.h: the facts about the steps of a plan that reports of measurements show.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/plan/plan.h"

namespace opsrun::host {

struct NodeFacts {
  std::string name;
  std::string op;
  std::string plugin;
  std::vector<std::string> inputs, outputs;  // "int32 [2, 3]"; "int32 [...]" if only the run knows the shape
  std::optional<uint64_t> bytes;             // of all inputs and outputs; nothing if one is unknown
  std::string device;                        // that it runs on; empty if the plan is for the CPU alone

  std::string QualifiedOp() const { return plugin + "." + op; }
};

// One per step, in the order of the steps.
std::vector<NodeFacts> FactsOf(const Plan& plan);

}  // namespace opsrun::host
