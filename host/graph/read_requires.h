// host/graph/read_requires.h: the section "requires".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/graph/graph.h"
#include "host/yaml/reporter.h"

namespace opsrun::host {

// Adds what the graph requires of plugins; an error G111 for each range that is none.
void ReadRequires(const Value& section, Graph& graph, Reporter& reporter);

}  // namespace opsrun::host
