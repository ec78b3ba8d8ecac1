// host/cli/measure/bench_text.h: a bench report for people.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/cli/measure/bench_report.h"

namespace opsrun::host {

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
