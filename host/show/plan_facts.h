// host/show/plan_facts.h: what texts and pictures of a plan show: names of values, copies, memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/plan/plan.h"
#include "host/show/graph_text.h"

namespace opsrun::host {

// Bytes of an output whose shape is known.
size_t BytesOf(const PlanValue& value);

// A value of the plan: "z.sum", or "z.sum on gpu:0" for a copy, and what planning knows about it.
struct ValueFacts {
  std::string name;
  const ResolvedValue* resolved = nullptr;
};

// By value of the plan.
std::vector<ValueFacts> FactsOfValues(const PlanFacts& facts);

// The nodes that the step's kernel computes, and their ops: "conv+bias+relu".
std::string FusedNames(const Plan& plan, const Step& step);
std::string FusedOps(const Step& step);

// The name of a step that runs isolated nodes, of which one is called z: "round trip of z"; and in place of its op.
std::string RoundTripName(const Plan& plan, const Step& step);
inline constexpr char kRoundTrip[] = "(round trip)";

// A step that copies a tensor to another device.
struct CopyFacts {
  std::string to;
  std::optional<size_t> bytes;  // nothing if known only during the run
};

std::vector<CopyFacts> FactsOfCopies(const Plan& plan);

// How long a run takes, estimated from the number of steps and the sizes of their tensors alone, in nanoseconds.
struct WorkFacts {
  double all = 0;      // all steps, on one thread
  double longest = 0;  // the longest chain of tasks that wait for each other
};

WorkFacts FactsOfWork(const Plan& plan);

// "672 B at 1024, steps 2 to 4"; "allocated while it runs". Requires: a step makes the value.
std::string MemoryText(const Plan& plan, uint32_t value);

}  // namespace opsrun::host
