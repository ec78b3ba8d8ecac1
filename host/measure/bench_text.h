// host/measure/bench_text.h: a bench report for people.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/measure/bench_report.h"

namespace opsrun::host {

// The figures of a run, a table of nodes and one of ops: the 15 that take longest each, one line for the rest.
std::string BenchText(const BenchReport& report);

}  // namespace opsrun::host
