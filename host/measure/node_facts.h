// host/measure/node_facts.h: what a plan says of a step that measurements are told with.
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
  std::vector<std::string> inputs, outputs;  // "int32 [2, 3]"; "int32 [...]" where only the run knows the shape
  std::optional<uint64_t> bytes;             // of all inputs and outputs; nothing where one is not known

  std::string QualifiedOp() const { return plugin + "." + op; }
};

// One a step, in the order of the steps.
std::vector<NodeFacts> FactsOf(const Plan& plan);

}  // namespace opsrun::host
