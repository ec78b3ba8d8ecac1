// host/cli/measure/profile.h: where the time of many runs goes, summed up by node and by op.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/plan/plan.h"
#include "host/run/lane.h"

namespace opsrun::host {

// The facts about the steps of a plan that reports of measurements show.

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

// The sums of one caller's runs, in nanoseconds; those of several callers are merged at the end.
struct ProfileSums {
  struct StepSum {
    uint64_t calls = 0;
    int64_t ns = 0;
  };
  std::vector<StepSum> steps;
  uint64_t runs = 0;
  int64_t run_ns = 0;
  int64_t kernel_ns = 0;
  bool one_thread = true;  // in each run

  void Add(const std::vector<StepTime>& times, int64_t ns);
  void Merge(const ProfileSums& other);
};

// A table of nodes and one of ops, the 15 slowest of each and one line for the rest; then the time of the host itself,
// if each run used one thread. clock_ns: what one reading of the clock adds to each call and to the host.
std::string ProfileText(const ProfileSums& sums, const std::vector<NodeFacts>& facts, double clock_ns);

}  // namespace opsrun::host
