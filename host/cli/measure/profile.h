// host/cli/measure/profile.h: where the time of runs is spent, by node and by op, in rows of a table.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

#include "host/cli/measure/sampling.h"
#include "host/plan/plan.h"

namespace opsrun::host {

// What reports of measurements show about a step of a plan.
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

// The kernel of a node, or all kernels of an op. Times are in nanoseconds.
struct TimeRow {
  std::string name;    // "z", or "zero_out.ZeroOut"
  std::string op;      // for a node: "zero_out.ZeroOut"
  uint64_t calls = 1;  // per run, or in all runs of a profile
  double ns = 0;       // the median of a run, or the sum of all runs of a profile; for an op: the sum of its nodes
  Interval noise;      // of the median
  std::optional<double> bytes;  // read and written in one run, by shape; nothing if unknown before the run

  // Bytes per second.
  std::optional<double> Bandwidth() const { return bytes && ns > 0 ? std::optional(*bytes / ns * 1e9) : bytes; }
};

// The rows of the nodes' ops. The sums of the bounds of the nodes' intervals give a conservative interval for the op.
std::vector<TimeRow> OpRows(const std::vector<TimeRow>& nodes);

// Slowest first.
void SortByTime(std::vector<TimeRow>& rows);

// The time of all rows, which is 100% for shares.
double KernelTime(const std::vector<TimeRow>& rows);

enum class TimeColumn { kNode, kNameOfOp, kOp, kCalls, kMedian, kTotal, kMean, kShare, kBandwidth };

// The first 15 rows, and one line for the rest.
std::string TimeTable(const std::vector<TimeRow>& rows, std::span<const TimeColumn> columns);

// ---- The profile of many runs.

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

// A table of nodes and one of ops; then the host's own time, if each run used one thread. clock_ns: what reading the
// clock adds to each call and to the host.
std::string ProfileText(const ProfileSums& sums, const std::vector<NodeFacts>& facts, double clock_ns);

}  // namespace opsrun::host
