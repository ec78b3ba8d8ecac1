// host/measure/bench_json.h: a bench report as a JSON document, and back.
//
//   {"opsrun_bench": 1, "graph": "g.yaml", "version": "0.1.0", "cpu": "...", "threads": 2, "memory_bytes": 4096,
//    "run": {"samples": 900, "batch": 16, "stable": true, "measured_ns": 3e8, "min_ns": ..., "median_ns": ...,
//            "median_low_ns": ..., "median_high_ns": ..., "p90_ns": ..., "p99_ns": ..., "max_ns": ...,
//            "runs_per_second": ..., "ns_per_node": ...},
//    "timed": {"runs": 1000, "clock_ns": 21},
//    "nodes": [{"name": "z", "op": "zero_out.ZeroOut", "calls": 1, "median_ns": ..., "median_low_ns": ...,
//               "median_high_ns": ..., "share": 0.5, "bytes": 32, "bytes_per_second": ...}],
//    "ops": [the same, without "op"]}
//
// bytes and bytes_per_second are null where only the run knows the shapes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/status.h"
#include "host/measure/bench_report.h"

namespace opsrun::host {

std::string BenchJson(const BenchReport& report);

// INVALID_ARGUMENT, with the name of the field, if the document is invalid. Derived fields and unknown fields are
// ignored. The strings are untrusted.
Result<BenchReport> ReadBenchJson(const std::string& text);

}  // namespace opsrun::host
