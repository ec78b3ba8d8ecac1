// host/show/plan_facts.h: a plan and what was found out on the way to it, as text and as JSON.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/plan/plan.h"
#include "host/plan/resolution.h"
#include "host/plugin/registry.h"

namespace opsrun::host {

// All three are of one graph.
struct PlanFacts {
  const Plan& plan;
  const Resolution& resolution;
  const Registry& registry;
};

// Step by step: node, op, kernel and why it was chosen, inputs, outputs and their memory; then the memory of a run
// against its lower bound.
std::string PlanText(const PlanFacts& facts);

// The same for programs: one object.
std::string PlanJson(const PlanFacts& facts);

// "the only one of 12 that fits: T=int32": why the step's kernel was chosen.
std::string KernelReason(const PlanFacts& facts, const Step& step);

// "cpu": as graphs write the device that the kernel is registered for.
std::string DeviceText(const spec::KernelDef& kernel);

// "672 B at 1024, steps 2 to 4"; "allocated while it runs".
std::string MemoryText(const Plan& plan, uint32_t value);

}  // namespace opsrun::host
