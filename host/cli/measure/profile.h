// host/cli/measure/profile.h: where the time of many runs is spent, summed by node and by op.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/plan/plan.h"
#include "host/run/lane.h"

namespace opsrun::host {

// What reports of measurements show about the steps of a plan.

struct NodeFacts {
  std::string name;
  std::string op;
  std::string plugin;
  std::vector<std::string> inputs, outputs;  // "int32 [2, 3]"; "int32 [...]" if unknown before the run
  std::optional<uint64_t> bytes;             // of all inputs and outputs; nothing if any is unknown
  std::string device;                        // empty if the plan is for the CPU only

  std::string QualifiedOp() const { return plugin + "." + op; }
};

// One for each step, in order.
std::vector<NodeFacts> FactsOf(const Plan& plan);

// The sums of one caller's runs, in nanoseconds. Sums of several callers are merged at the end.
struct ProfileSums {
  struct StepSum {
    uint64_t calls = 0;
    int64_t ns = 0;
  };
  std::vector<StepSum> steps;
  uint64_t runs = 0;
  int64_t run_ns = 0;
  int64_t kernel_ns = 0;
  bool one_thread = true;  // true if each run used one thread

  void Add(const std::vector<StepTime>& times, int64_t ns);
  void Merge(const ProfileSums& other);
};

// A table of nodes and one of ops, the 15 slowest of each and one line for the rest; then the host's own time, if each
// run used one thread. clock_ns: what reading the clock adds to each call and to the host.
std::string ProfileText(const ProfileSums& sums, const std::vector<NodeFacts>& facts, double clock_ns);

}  // namespace opsrun::host
