// host/measure/bench_text.h: a bench report for people.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/measure/bench_report.h"

namespace opsrun::host {

// The figures of a run, a table of nodes and one of ops: the 15 that take longest each, one line for the rest.
std::string BenchText(const BenchReport& report);

// Old, new and new / old for the whole; then the nodes and ops that changed by more than the noise, at most 15 each:
// the medians' intervals are apart, and the medians by more than 10 % and 0.5 % of all kernels together, because where
// memory happens to lie makes as much of a difference from one process to the next. For the whole, 5 % do. Names are
// taken from `now`, never from the foreign report.
std::string ChangesText(const BenchReport& old, const BenchReport& now);

// What makes the comparison doubtful: another CPU, number of threads, graph or version, unstable figures. A sentence
// each; foreign strings are in them as they are.
std::vector<std::string> Doubts(const BenchReport& old, const BenchReport& now);

}  // namespace opsrun::host
