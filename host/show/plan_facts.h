// host/show/plan_facts.h: a plan and the results of planning, as text and as JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "host/plan/plan.h"
#include "host/plan/resolution.h"
#include "host/plugin/plugin.h"

namespace opsrun::host {

// All members must belong to one graph.
struct PlanFacts {
  const Plan& plan;
  const Resolution& resolution;
  const Registry& registry;
};

// For each step: node, op, kernel and the reason for its choice, inputs, outputs and their memory; then the memory of a
// run and its lower bound.
std::string PlanText(const PlanFacts& facts);

// The same as one JSON object.
std::string PlanJson(const PlanFacts& facts);

// The first and the last step at which a value needs its memory.
struct Lifetime {
  uint32_t first = 0;
  uint32_t last = 0;
};

struct MemoryFacts {
  size_t arena = 0;        // bytes of planned outputs in CPU memory, which each run has once
  size_t lower_bound = 0;  // the most of these that exist at one step if nodes run in order; aligned
  size_t constants = 0;    // bytes of feeds with values
  uint32_t late = 0;       // outputs that are allocated while the graph runs
  std::vector<std::pair<std::string, size_t>> other_arenas;  // of devices other than the CPU
};

MemoryFacts FactsOfMemory(const Plan& plan);

// From the step that makes the value to its last reader, or to the end of the run for an output of the graph. Requires:
// a step makes it.
Lifetime LifetimeOf(const Plan& plan, uint32_t value);

}  // namespace opsrun::host
