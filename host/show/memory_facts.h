// host/show/memory_facts.h: how a plan uses memory, against the least that its order allows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "host/plan/plan.h"

namespace opsrun::host {

// The steps at which a value needs its memory, both included.
struct Lifetime {
  uint32_t first = 0;
  uint32_t last = 0;
};

struct MemoryFacts {
  size_t arena = 0;        // bytes of outputs whose shape is known, in the memory that each run has
  size_t lower_bound = 0;  // of these, the most that exist at one time if nodes run one after another, aligned
  size_t constants = 0;    // bytes of feeds with values
  uint32_t late = 0;       // outputs that are allocated while the graph runs
};

MemoryFacts FactsOfMemory(const Plan& plan);

// From the step that makes it to its last reader, or to the end of the run for an output of the graph. Requires: a step
// makes it.
Lifetime LifetimeOf(const Plan& plan, uint32_t value);

// Bytes of an output whose shape is known.
size_t BytesOf(const PlanValue& value);

}  // namespace opsrun::host
