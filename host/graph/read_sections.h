// host/graph/read_sections.h: the sections of a graph file. Each function adds to `graph` what it reads,
// and corrects misspelled keys in the section.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/graph/graph.h"
#include "host/yaml/reporter.h"

namespace opsrun::host {

// Checks the key `opsrun`. what: "graph" or "gradient". False if the text says that it is of a format that cannot be
// read here. Other mistakes are errors G101.
bool CheckFormat(const Value& root, const char* what, Reporter& reporter);

// An error G111 for each invalid range of versions.
void ReadRequires(const Value& section, Graph& graph, Reporter& reporter);

// Values are converted; names of feeds with mistakes go to left_out. A feed that is only declared has a dtype.
void ReadFeeds(Value& section, Graph& graph, Reporter& reporter);

// Names of nodes with mistakes go to left_out. of_gradient: of the graph that an op declares as its gradient.
void ReadNodes(Value& section, bool of_gradient, Graph& graph, Reporter& reporter);

// A node must not have the name of a feed: the feed stays, and the node is left out (G103).
void DropNodesNamedLikeFeeds(Graph& graph, Reporter& reporter);

// Outputs with mistakes are left out.
void ReadOutputs(Value& section, Graph& graph, Reporter& reporter);

// Checks with mistakes are left out. What is expected stays as it is written: its data type is that of what it is
// compared with.
void ReadChecks(Value& section, Graph& graph, Reporter& reporter);

}  // namespace opsrun::host
