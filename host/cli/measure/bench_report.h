// host/cli/measure/bench_report.h: the results of "bench" for a graph. All times are in nanoseconds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/status.h"
#include "host/cli/measure/profile.h"
#include "host/cli/measure/sampling.h"

namespace opsrun::host {

// The kernel of a node, or all kernels of an op, in one run.
struct BenchRow {
  std::string name;             // "z", or "zero_out.ZeroOut"
  std::string op;               // for a node: "zero_out.ZeroOut"
  uint64_t calls = 1;           // per run
  double median = 0;            // for an op: the sum over its nodes
  Interval noise;               // of the median
  std::optional<double> bytes;  // read and written in one run, by shape; nothing if unknown before the run

  // Bytes per second.
  std::optional<double> Bandwidth() const { return bytes && median > 0 ? std::optional(*bytes / median * 1e9) : bytes; }
};

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
  std::vector<BenchRow> nodes, ops;  // slowest first

  double RunsPerSecond() const { return run.median > 0 ? 1e9 / run.median : 0; }
  double NsPerNode() const { return nodes.empty() ? 0 : run.median / static_cast<double>(nodes.size()); }
};

// Extracted from the text of /proc/cpuinfo; "unknown CPU" without a "model name", as on ARM.
std::string CpuModel(std::string_view cpuinfo);

// Fills in timed_runs, nodes and ops.
void AddRows(const StepSamples& samples, const std::vector<NodeFacts>& facts, BenchReport& report);

// The sum of the medians, which is 100% for shares.
double KernelTime(const std::vector<BenchRow>& rows);

// A bench report as a JSON document, and back.
//
// {"opsrun_bench": 1, "graph": "g.yaml", "version": "0.1.0", "cpu": "...", "threads": 2, "memory_bytes": 4096,
// "run": {"samples": 900, "batch": 16, "stable": true, "measured_ns": 3e8, "min_ns": ..., "median_ns": ...,
// "median_low_ns": ..., "median_high_ns": ..., "p90_ns": ..., "p99_ns": ..., "max_ns": ...,
// "runs_per_second": ..., "ns_per_node": ...},
// "timed": {"runs": 1000, "clock_ns": 21},
// "nodes": [{"name": "z", "op": "zero_out.ZeroOut", "calls": 1, "median_ns": ..., "median_low_ns": ...,
// "median_high_ns": ..., "share": 0.5, "bytes": 32, "bytes_per_second": ...}],
// "ops": [the same, without "op"]}
//
// bytes and bytes_per_second are null if shapes are unknown before the run.

std::string BenchJson(const BenchReport& report);

// INVALID_ARGUMENT, with the name of the field, if the document is invalid. Derived and unknown fields are ignored. The
// strings are untrusted.
Result<BenchReport> ReadBenchJson(const std::string& text);

}  // namespace opsrun::host
