// host/graph/read_checks.h: the section "checks".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/graph/graph.h"
#include "host/yaml/reporter.h"

namespace opsrun::host {

// Adds the checks to `graph`; those with mistakes are left out. What is expected stays as it is written: its data type
// is that of what it is compared with.
void ReadChecks(const Value& section, Graph& graph, Reporter& reporter);

}  // namespace opsrun::host
