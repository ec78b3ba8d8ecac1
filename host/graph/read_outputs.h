// host/graph/read_outputs.h: the section "outputs".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/graph/graph.h"
#include "host/yaml/reporter.h"

namespace opsrun::host {

// Adds the outputs to `graph`; those with mistakes are left out.
void ReadOutputs(const Value& section, Graph& graph, Reporter& reporter);

}  // namespace opsrun::host
