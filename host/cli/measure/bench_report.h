// host/cli/measure/bench_report.h: the results of "bench" for a graph. All times are in nanoseconds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "host/base/status.h"
#include "host/cli/measure/profile.h"

namespace opsrun::host {

struct BenchReport {
  std::string graph, version, cpu;
  uint32_t threads = 1;
  uint64_t memory_bytes = 0;  // of the lane

  Summary run;  // of batches, if they consist of several runs
  uint64_t batch = 1;
  bool stable = false;
  double measured_ns = 0;

  // From separate runs that time each kernel, which adds clock_ns per kernel.
  uint64_t timed_runs = 0;
  double clock_ns = 0;
  std::vector<TimeRow> nodes, ops;  // slowest first

  double RunsPerSecond() const { return run.median > 0 ? 1e9 / run.median : 0; }
  double NsPerNode() const { return nodes.empty() ? 0 : run.median / static_cast<double>(nodes.size()); }
};

// Extracted from the text of /proc/cpuinfo; "unknown CPU" without a "model name", as on ARM.
std::string CpuModel(std::string_view cpuinfo);

// Fills in timed_runs, nodes and ops.
void AddRows(const StepSamples& samples, const std::vector<NodeFacts>& facts, BenchReport& report);

// A bench report as a JSON document, and back.
//
// {"opsrun_bench": 1, "graph": "g.yaml", ..., "run": {"samples": 900, ...}, "timed": {"runs": 1000, "clock_ns": 21},
// "nodes": [{"name": "z", "op": "zero_out.ZeroOut", ...}], "ops": [the same, without "op"]}: bench_report.cc lists the
// fields. bytes and bytes_per_second are null if shapes are unknown before the run.

std::string BenchJson(const BenchReport& report);

// INVALID_ARGUMENT, with the name of the field, if the document is invalid. Derived and unknown fields are ignored. The
// strings are untrusted.
Result<BenchReport> ReadBenchJson(const std::string& text);

// ---- bench_text.cc: a report for people.

// The numbers of a run, a table of nodes and one of ops: the 15 slowest of each, and one line for the rest.
std::string BenchText(const BenchReport& report);

// Old, new and new / old for the whole run; then the nodes and ops that changed, at most 15 of each. A change must
// exceed the noise: the intervals of the medians do not overlap, and the medians differ by more than 10% and by more
// than 0.5% of all kernels together, because memory layout alone causes such differences between processes. For the
// whole run, the threshold is 5%. Names are taken from `now`, never from the untrusted report.
std::string ChangesText(const BenchReport& old, const BenchReport& now);

// Reasons to doubt the comparison: another CPU, number of threads, graph or version, or unstable numbers. One sentence
// each; untrusted strings are not escaped.
std::vector<std::string> Doubts(const BenchReport& old, const BenchReport& now);

}  // namespace opsrun::host
