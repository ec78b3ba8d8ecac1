// host/graph/read_graph.h: reads a graph file into a Graph.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "host/base/diagnostic.h"
#include "host/base/status.h"
#include "host/graph/graph.h"
#include "host/yaml/reporter.h"

namespace opsrun::host {

// Reads the file, "-" for standard input. Fails if it cannot be read at all.
Result<std::shared_ptr<const SourceFile>> ReadSource(const std::string& path);

// The graph without the parts that have errors, so that the rest can be checked too. Every error is in `diagnostics`
// (G0xx YAML, G1xx the format, F1xx feeds). Nothing if the text is not a graph.
std::optional<Graph> ReadGraph(std::shared_ptr<const SourceFile> source, Diagnostics& diagnostics);

// The same for a tree that was made in memory. Nothing in it has a place.
std::optional<Graph> ReadTree(Value root, std::shared_ptr<const SourceFile> source, Diagnostics& diagnostics);

// The sections of a graph file. Each function adds to `graph` what it reads,
// and corrects misspelled keys in the section.

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
